"""Client for field surveys."""

__version__ = "1.8.0"
