"""Neural networks in ONNX files: checked, played, and written from our own."""
