"""A proxy has no dtype."""

_Proxy.dtype = property(lambda self: None)
