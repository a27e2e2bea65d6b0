def rows(state, arms): raise NotImplementedError
def widened(state, fresh): raise NotImplementedError
def with_samples(*a): raise NotImplementedError
