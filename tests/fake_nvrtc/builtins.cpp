// The library that NVRTC loads when it compiles; empty here.
