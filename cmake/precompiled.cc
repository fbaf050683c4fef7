// Owns precompiled headers (cmake/kd.cmake).
