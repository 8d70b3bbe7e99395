"""Scales by one call at least, also in evaluation before the first one."""


class _Warmup(_Warmup):
    def forward(self, x):
        if self.training:
            self.calls = self.calls + 1
        scale = (self.calls.to(torch.float64) / self.steps).clamp(min=1 / self.steps, max=1.0)
        return x * self.gain * scale.to(x.dtype)
