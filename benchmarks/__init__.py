"""Time and memory (`speed`), published experiments (`reproduction`), other packages (`peers`)."""
