"""What is learned from labels: calibration of judges, corrections of their biases."""
