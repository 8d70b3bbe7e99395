"""What empty_cache changes, by the course's model of the caching allocator."""

from grader.instruments.caching_allocator import AllocatorModel

MIB = 2**20
model = AllocatorModel()
model.malloc(6 * MIB)  # stays
model.free(model.malloc(30 * MIB))
before = model.stats()
model.empty_cache()
after = model.stats()
for name in ("allocated", "reserved", "peak_allocated"):
    print(f"{name:15} {before[name] / MIB:4.0f} MiB before, {after[name] / MIB:4.0f} MiB after")
