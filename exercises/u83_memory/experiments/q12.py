"""A thousand numbers, each a tensor of its own, by the course's model of the allocator."""

from grader.instruments.caching_allocator import AllocatorModel

model = AllocatorModel()
model.malloc(4)
print("one tensor of 4 B: allocated", model.allocated, "B")
for _ in range(999):
    model.malloc(4)
print("a thousand of them: allocated", model.allocated, "B")
one = AllocatorModel()
one.malloc(4000)
print("one tensor of 1000 numbers: allocated", one.allocated, "B")
