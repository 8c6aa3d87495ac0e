#pragma once
// Included by c10d; nothing of it is needed.
