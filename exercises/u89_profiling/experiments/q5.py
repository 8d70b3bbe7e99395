"""Each cause of an idle device in one unit: idle milliseconds of an iteration of 10 ms."""

wall = 10.0
kernels, kernel, launch = 2000, 2.25e-3, 5e-3
busy = kernels * kernel
print(f"utilisation {busy / wall:.0%}, so that the device idles for {wall - busy:.1f} ms")
idle = {
    "input": 0.02 * wall,
    "transfer": 0.01 * wall,
    "launch": max(0.0, kernels * launch - busy),
    "sync": 10e-3,
}
for cause, time in sorted(idle.items(), key=lambda item: -item[1]):
    print(f"{cause:9} {time:5.2f} ms")
