def to_arrays(state): raise NotImplementedError
def from_arrays(fresh, arrays): raise NotImplementedError
