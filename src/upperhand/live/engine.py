"""Commands in, answers out: the one place where an experiment is changed.

A commit is: take in what others wrote, decide what the commands ask for, append their events. A
thread commits its own command. Where the store waits for the disk while it holds the lock, threads
that meet leave their commands in a queue, as asynchronous callers and those with a time limit
always do: the engine's thread takes all that gathered into one commit. No interrupt reaches that
thread, and whoever waits for it may stop waiting at any time.

The state is marked while a commit changes it. Where the mark is found, because an interrupt, a
failed commit or a fault of a policy cut one short, the state is rebuilt from the log, which says
what happened and what did not.
"""

import _thread
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any
from weakref import finalize, ref

from ..errors import EventsLostError, StoreError, UpperhandError
from .decide import Command, Context, decide
from .forks import watch
from .log import Log, Transaction
from .log.event import OUTCOMES, Columns, Event, Kind, UnsyncedError
from .replay import Replay
from .state import ExperimentState

MOST = 1_000  # jobs in one commit
PATIENCE = 2.0  # seconds that closing waits for the last ones
NOTED = frozenset((*OUTCOMES, Kind.OPENED, Kind.CORRECTED))
News = Columns | Sequence[Event]
Then = Callable[[list["Job"]], None]  # what is called with all jobs of a commit that have it


class Job:
    """Commands that somebody else commits, all or none, and what became of them."""

    __slots__ = ("_done", "answers", "commands", "durable", "ended", "error", "future", "kept",
                 "then", "withdrawn")  # fmt: skip

    def __init__(
        self,
        commands: Sequence[Command],
        *,
        durable: bool,
        then: "Then | None" = None,
    ) -> None:
        self.commands, self.durable, self.then = commands, durable, then
        self.answers: list[Any] = []
        self.error: BaseException | None = None
        self.withdrawn = False  # nobody wants it any more; what has begun goes on
        self.kept = False  # whoever gave it was told that it will be written later
        self.ended = False
        self.future: Any = None  # of an event loop, for `then`
        self._done = _thread.allocate_lock()
        self._done.acquire()

    def wait(self, timeout: float | None = None) -> bool:
        """Wait for the end; return whether it came."""
        if not self._done.acquire(timeout=-1 if timeout is None else timeout):
            return False
        self._done.release()
        return True

    def result(self) -> list[Any]:
        """Return the answers, or raise what was wrong."""
        if self.error is not None:
            raise self.error
        return self.answers

    def end(self, found: list[Any] | BaseException) -> None:
        """Note what became of it, and let whoever waits go on."""
        if isinstance(found, BaseException):
            self.error = found
        else:
            self.answers = found
        self.ended = True
        self._done.release()


class WithdrawnError(UpperhandError):
    """Nobody waits for this any more."""


class _FailedError(Exception):
    """A job failed half-way, so that its commit was taken back."""

    def __init__(self, place: int) -> None:
        super().__init__(place)
        self.place = place


class _Commit:
    """What one commit answers and appends."""

    __slots__ = ("_outcomes", "_transaction", "after", "corrects", "epoch", "events", "found",
                 "written")  # fmt: skip

    def __init__(self, after: int = 0, transaction: Transaction | None = None) -> None:
        self.after = after  # the number of the event before it
        self.epoch: int | None = None
        self.events: list[Event] = []
        self.found: list[Any] = []  # of each job its answers, or the error that it was refused by
        self.written = 0  # events that the transaction has already
        self.corrects = False  # the state is to be rebuilt
        self._transaction, self._outcomes = transaction, dict[int, Event]()

    def note(self, event: Event, context: Context) -> None:
        """Note what decisions behind this event depend on."""
        if event.kind == Kind.OPENED:
            context.epoch = int(event.value)
        elif event.kind == Kind.CORRECTED:
            self.corrects = True
        elif event.trial:
            self._outcomes[event.trial] = event

    def outcome(self, trial: int) -> Event | None:
        """Return what a trial ended with, in this commit or before."""
        found = self._outcomes.get(trial)
        return found or (self._transaction.outcome(trial) if self._transaction else None)


class Engine:
    """What one process knows of an experiment, and how it changes it."""

    def __init__(self, log: Log, replay: Replay) -> None:
        self.log, self.replay = log, replay
        # Called while the engine is locked: it must not use the experiment, and not raise
        self.on_commit: Callable[[int, Sequence[Event]], None] | None = None
        self.state: ExperimentState = replay.state(log)
        self._announced = self.state.n
        self._changing = False
        self._begin()
        watch(self)

    def _begin(self) -> None:
        self._epoch: int | None = None
        self._epoch_kept = False  # whether the epoch is known to be on the disk
        self._lock = Lock()  # around the state; taken by `with` alone
        self._starting = Lock()
        self._queue: SimpleQueue[Job | None] = SimpleQueue()
        self._thread: Thread | None = None

    def run(self, commands: Sequence[Command], *, durable: bool) -> list[Any]:
        """Run commands, all or none; return their answers when they are committed."""
        if self.log.flushes and (self._lock.locked() or not self._queue.empty()):
            job = self.submit(commands, durable=durable)
            job.wait()
            return job.result()
        commits: list[_Commit] = []
        found: list[Any] | BaseException
        try:
            self._committed((commands,), durable, commits)
            found = commits[-1].found[0]
        except _FailedError as failure:
            found = failure.__cause__ or failure
        except Exception as error:  # the store: its answer may be lost, and not what it did
            if isinstance(error, UnsyncedError) or not self._happened(commits, durable):
                raise
            found = commits[-1].found[0]
        if isinstance(found, BaseException):
            raise found
        return found

    def submit(
        self,
        commands: Sequence[Command],
        *,
        durable: bool,
        then: Then | None = None,
        future: Any = None,
        kept: bool = False,
    ) -> Job:
        """Let the engine's thread run commands with others'.

        The thread then calls `then` with all jobs of the commit that have the same.
        """
        job = Job(commands, durable=durable, then=then)
        job.future, job.kept = future, kept
        self._queue.put(job)
        if self._thread is None or not self._thread.is_alive():
            with self._starting:
                if self._thread is None or not self._thread.is_alive():
                    given = (self._queue, ref(self))  # an engine that nobody uses can go
                    self._thread = Thread(target=_work, args=given, name="upperhand", daemon=True)
                    self._thread.start()
                    finalize(self, self._queue.put, None)
        return job

    @property
    def waiting(self) -> int:
        """How many jobs wait to be run."""
        return self._queue.qsize()

    @contextmanager
    def look(self) -> Iterator[ExperimentState]:
        """Give the state after all events there are, while nobody changes it."""
        with self._lock:
            self._catch_up()
            yield self.state

    def close(self) -> None:
        """Let the thread end when it has run what it was given; a store may keep it waiting."""
        thread, self._thread = self._thread, None
        if thread is not None:
            self._queue.put(None)
            thread.join(PATIENCE)

    def before_fork(self) -> None:
        """Do nothing: a commit that is under way is the parent's."""

    def after_fork(self, *, child: bool) -> None:
        """Begin again in a child: threads are not there, and its asks need their own epoch."""
        if child:
            self._begin()
            self._changing = True

    def run_gathered(self, job: Job) -> bool:
        """Run a job, and all that gather in the queue; return whether the thread ends then."""
        jobs, ends = [job], False
        with self._lock:  # meanwhile others gather
            while len(jobs) < MOST and not ends:
                try:
                    more = self._queue.get_nowait()
                except Empty:
                    break
                if more is None:
                    ends = True
                else:
                    jobs.append(more)
        withdrawn = {id(job) for job in jobs if job.withdrawn}
        self._finish([job for job in jobs if id(job) in withdrawn], WithdrawnError())
        self._finish([job for job in jobs if id(job) not in withdrawn])
        return ends

    def _finish(self, jobs: list[Job], error: BaseException | None = None) -> None:
        """Run jobs unless there is an error, and let all know who wait for them."""
        found: list[Any] = [error] * len(jobs)
        if error is None and jobs:
            try:
                found = self._run([job.commands for job in jobs], any(j.durable for j in jobs))
            except BaseException as stopped:
                found = [stopped] * len(jobs)
        groups: dict[Then, list[Job]] = {}
        for job, each in zip(jobs, found, strict=True):
            job.end(each)
            if job.then is not None:
                groups.setdefault(job.then, []).append(job)
        for then, own in groups.items():
            then(own)

    def _run(self, jobs: Sequence[Sequence[Command]], durable: bool) -> list[Any]:
        """Run jobs in one commit, and without the one that fails half-way in another."""
        found: dict[int, Any] = {}
        while len(found) < len(jobs):
            left = [place for place in range(len(jobs)) if place not in found]
            commits: list[_Commit] = []  # the last one counts
            try:
                self._committed([jobs[place] for place in left], durable, commits)
                answers = commits[-1].found
            except _FailedError as failure:
                found[left[failure.place]] = failure.__cause__
                continue
            except Exception as error:  # the store: its answer may be lost, and not what it did
                lost = not isinstance(error, UnsyncedError) and self._happened(commits, durable)
                answers = commits[-1].found if lost else [error] * len(left)
            found.update(zip(left, answers, strict=True))
        return [found[place] for place in range(len(jobs))]

    def _committed(
        self, jobs: Sequence[Sequence[Command]], durable: bool, commits: list[_Commit]
    ) -> None:
        """Commit jobs; one that is durable returns when it is on the disk."""
        log = self.log

        def work(transaction: Transaction) -> None:
            self._decide(transaction, jobs, commits)

        with self._lock:
            durable = durable or not self._epoch_kept
            try:
                if self._changing:
                    self._renew()
                log.transact(work, durable=durable, wait=False)
            except EventsLostError:  # nothing was done
                self._forget()
                durable = True
                log.transact(work, durable=durable, wait=False)
            commit = commits[-1]
            self._epoch, number = commit.epoch, log.commits
            self._changing = commit.corrects
            if self.on_commit is not None:
                self._announce()
        if durable:
            try:
                log.sync(number)
            except BaseException:
                if not self._epoch_kept and self._epoch == commit.epoch:
                    self._epoch = None  # it may be lost with a power cut, and come again
                raise
            self._epoch_kept = self._epoch_kept or self._epoch == commit.epoch is not None

    def _decide(
        self, transaction: Transaction, jobs: Sequence[Sequence[Command]], commits: list[_Commit]
    ) -> None:
        """Decide jobs one after the other, each on what those before it have changed."""
        news = transaction.news(self.state.n)
        if news != ():
            self._take_in(news, transaction)
        self._changing = True
        commit = _Commit(self.state.n, transaction)
        commits.append(commit)
        now = max(time.time(), self.state.at)  # times in a log never go back
        context = Context(now, self._epoch, commit.outcome)
        for place, commands in enumerate(jobs):
            decided, answers = len(commit.events), []
            try:
                for command in commands:
                    answer, events = decide(self.state, command, context)
                    for event in events:
                        self.state.apply(event)
                        commit.events.append(event)
                        if event.kind in NOTED:
                            commit.note(event, context)
                    answers.append(answer)
                commit.found.append(answers)
            except UpperhandError as error:
                if len(commit.events) > decided:
                    raise _FailedError(place) from error
                commit.found.append(error)
            except Exception as error:
                raise _FailedError(place) from error
            if commit.corrects and place + 1 < len(jobs):
                transaction.append(commit.events[commit.written :])
                commit.written, commit.corrects = len(commit.events), False
                self.state = self.replay.from_events(_columns(transaction.news(0)))
        transaction.append(commit.events[commit.written :])
        commit.epoch = context.epoch

    def _catch_up(self) -> None:
        """Let the state take in all events there are."""
        try:
            self._renew()
            self._take_in(self.log.read(self.state.n))
        except EventsLostError:
            self._forget()
            self._take_in(self.log.read(self.state.n))
        self._announce()

    def _forget(self) -> None:
        """Begin again after a server has lost events, perhaps asks of ours, but not their ids."""
        self._changing, self._epoch, self._epoch_kept = True, None, False
        self._renew()

    def _renew(self) -> None:
        """Rebuild the state, of which a commit was cut short."""
        if self._changing:
            self.state = self.replay.state(self.log)
            self._changing = False

    def _take_in(self, news: News, transaction: Transaction | None = None) -> None:
        """Let the state take in news; a correction among them rebuilds it."""
        count = len(news.n) if isinstance(news, Columns) else len(news)
        if not count:
            return
        self._changing = True
        if isinstance(news, Columns):
            corrects = bool((news.kind == Kind.CORRECTED).any())
        else:
            corrects = any(event.kind == Kind.CORRECTED for event in news)
        if corrects:
            past = self.log.read() if transaction is None else transaction.news(0)
            self.state = self.replay.from_events(_columns(past))
        else:
            self.replay.take_in(self.state, news)
        self._changing = False

    def _announce(self) -> None:
        """Give the hook all events that it has not seen."""
        if self.on_commit is not None and self._announced < self.state.n:
            events = self.log.read(self._announced).events()
            self._announced += len(events)
            self.on_commit(self._announced, events)

    def _happened(self, commits: list[_Commit], durable: bool) -> bool:
        """Find out whether a commit that failed was made; no, if the store does not say."""
        if not commits or not commits[-1].events:
            return False
        try:
            events = commits[-1].events
            stored = self.log.read(commits[-1].after, len(events)).events()
            if [e[:6] for e in stored] != [e[:6] for e in events]:
                return False
            if durable:
                self.log.sync(self.log.commits + 1)
        except StoreError:
            return False
        return True


def _work(queue: "SimpleQueue[Job | None]", owner: "ref[Engine]") -> None:
    """Run what gathers in the queue; in the engine's thread."""
    while (job := queue.get()) is not None and (engine := owner()) is not None:
        if engine.run_gathered(job):
            return
        del engine, job


def _columns(events: News) -> Columns:
    return events if isinstance(events, Columns) else Columns.of(events, 0)
