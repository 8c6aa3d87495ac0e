// What NVRTC loads when it compiles: here, nothing.
