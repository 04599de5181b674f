package session

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"perfbisect/engine"
)

// heldEnv makes the test binary hold a lock until it is killed.
const heldEnv = "PERFBISECT_TEST_HOLD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(heldEnv); dir != "" {
		hold(dir)
	}
	goleak.VerifyTestMain(m)
}

// hold takes the lock dir/slot under a life that a child inherits, as a
// supervisor does, and waits to be killed.
func hold(dir string) {
	s, err := NewStore(dir)
	if err != nil {
		panic(err)
	}
	life, err := s.NewLife()
	if err != nil {
		panic(err)
	}
	if _, err := Acquire(filepath.Join(dir, "slot"), "run 1", life); err != nil {
		panic(err)
	}
	child := exec.Command("sh", "-c", "echo held; sleep 1; : >ended")
	child.Dir = dir
	child.Stdout, child.ExtraFiles = os.Stdout, []*os.File{life.File()}
	child.Env = []string{"PATH=" + os.Getenv("PATH")}
	_ = child.Run()
	select {}
}

func newRun(t testing.TB) (*Store, *Run) {
	t.Helper()
	s, err := NewStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Create([]byte("{}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return s, r
}

func lockRun(t testing.TB, r *Run) (*Journal, []engine.Event) {
	t.Helper()
	j, events, err := r.Lock()
	if err != nil {
		t.Fatal(err)
	}
	return j, events
}

func pause(reason string) engine.Event {
	return engine.Event{Kind: engine.EventPaused, Reason: reason}
}

func appendTo(t testing.TB, j *Journal, e engine.Event) engine.Event {
	t.Helper()
	e, err := j.Append(e)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// TestTornJournal cuts a journal at every byte: readers see the whole lines
// before the cut, and the next writer goes on from there.
func TestTornJournal(t *testing.T) {
	_, r := newRun(t)
	j, _ := lockRun(t, r)
	for _, reason := range []string{"one", "two\nlines", "drei: ü"} {
		appendTo(t, j, pause(reason))
	}
	j.Close()
	file := filepath.Join(r.Dir, "journal.jsonl")
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(whole) + 1 {
		if err := os.WriteFile(file, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		want := strings.Count(string(whole[:cut]), "\n")
		read, err := r.Events()
		if err != nil || len(read) != want {
			t.Fatalf("cut at %d: %d events, %v; want %d", cut, len(read), err, want)
		}
		j, events := lockRun(t, r)
		if e := appendTo(t, j, pause("after")); e.Seq != want+1 || len(events) != want {
			t.Fatalf("cut at %d: went on with event %d after %d", cut, e.Seq, len(events))
		}
		j.Close()
		if read, err = r.Events(); err != nil || len(read) != want+1 {
			t.Fatalf("cut at %d: %d events after going on, %v", cut, len(read), err)
		}
	}
}

// TestDamagedJournal has a line that cannot be read with facts after it: they
// must not be lost silently, and nothing may be written.
func TestDamagedJournal(t *testing.T) {
	for _, test := range []struct{ why, text string }{
		{"not JSON", "{\"v\":1,\"seq\":1,\"event\":\"resumed\"}\nnonsense\n{\"v\":1,\"seq\":3,\"event\":\"resumed\"}\n"},
		{"zeros, as after a crash of the machine", "\x00\x00\x00\n{\"v\":1,\"seq\":1,\"event\":\"resumed\"}\n"},
		{"another type", "[1]\n{\"v\":1,\"seq\":1,\"event\":\"resumed\"}\n"},
	} {
		_, r := newRun(t)
		file := filepath.Join(r.Dir, "journal.jsonl")
		if err := os.WriteFile(file, []byte(test.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := r.Events(); err == nil || !strings.Contains(err.Error(), "line ") {
			t.Errorf("%s: reading: %v", test.why, err)
		}
		if _, _, err := r.Lock(); err == nil {
			t.Errorf("%s: opened for writing", test.why)
		}
		if now, _ := os.ReadFile(file); string(now) != test.text {
			t.Errorf("%s: the file was changed to %q", test.why, now)
		}
		if _, live := r.Live(); live {
			t.Errorf("%s: the lock stays", test.why)
		}
	}
}

// TestJournalIsFaithful: what was appended is read again, whatever its strings
// hold, over any number of sessions.
func TestJournalIsFaithful(t *testing.T) {
	s, err := NewStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		r, err := s.Create([]byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		var want []engine.Event
		for range rapid.IntRange(1, 3).Draw(t, "sessions") {
			j, got, err := r.Lock()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("read back (-want +got):\n%s", diff)
			}
			for range rapid.IntRange(0, 4).Draw(t, "events") {
				e, err := j.Append(pause(rapid.String().Draw(t, "reason")))
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, e)
			}
			j.Close()
		}
		for i := 1; i < len(want); i++ {
			if want[i].Seq != i+1 || want[i].AtS < want[i-1].AtS {
				t.Fatalf("event %d: seq %d at %v after %v", i, want[i].Seq, want[i].AtS, want[i-1].AtS)
			}
		}
		if err := r.Remove(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestClockJumps: at_s goes on from where it was, although the wall clock of the
// facts so far lies in the future or in the past.
func TestClockJumps(t *testing.T) {
	for _, year := range []string{"1970", "2199"} {
		_, r := newRun(t)
		line := `{"v":1,"t":"` + year + `-01-01T00:00:00Z","seq":1,"at_s":1234.5,"event":"resumed"}` + "\n"
		if err := os.WriteFile(filepath.Join(r.Dir, "journal.jsonl"), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
		j, _ := lockRun(t, r)
		if e := appendTo(t, j, pause("x")); e.AtS < 1234.5 || e.AtS > 1234.5+3600 {
			t.Errorf("after %s: at_s is %v, want just above 1234.5", year, e.AtS)
		}
		j.Close()
	}
}

// TestFullDisk: a fact that cannot be written leaves the journal as it was, and
// the next one that can is numbered without a gap.
func TestFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	_, r := newRun(t)
	j, _ := lockRun(t, r)
	defer j.Close()
	appendTo(t, j, pause("one"))
	good := j.file
	j.file = full
	if _, err := j.Append(pause("lost")); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("writing to a full disk: %v", err)
	}
	j.file = good
	if e := appendTo(t, j, pause("two")); e.Seq != 2 {
		t.Errorf("went on with event %d", e.Seq)
	}
	if events, err := r.Events(); err != nil || len(events) != 2 {
		t.Errorf("%d events, %v", len(events), err)
	}
}

// TestConcurrentReaders read while one writer appends: always a prefix, never a
// torn or damaged line.
func TestConcurrentReaders(t *testing.T) {
	_, r := newRun(t)
	j, _ := lockRun(t, r)
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for last := 0; ; {
				events, err := r.Events()
				if err != nil || len(events) < last {
					t.Errorf("%d events after %d, %v", len(events), last, err)
					return
				}
				last = len(events)
				r.Peek()
				if _, live := r.Live(); !live {
					t.Error("the run is locked, and Live says that it is not")
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	for range 100 {
		appendTo(t, j, pause(strings.Repeat("x", 5000)))
	}
	close(done)
	wg.Wait()
	j.Close()
}

func TestLock(t *testing.T) {
	_, r := newRun(t)
	j, _ := lockRun(t, r)
	_, _, err := r.Lock()
	var locked *LockedError
	if !errors.As(err, &locked) || locked.Owner.PID != os.Getpid() {
		t.Errorf("locking twice: %v", err)
	}
	if owner, live := r.Live(); !live || owner.PID != os.Getpid() {
		t.Errorf("live: %v %+v", live, owner)
	}
	j.Close()
	if _, live := r.Live(); live {
		t.Error("live after Close")
	}
	if _, err := os.Stat(filepath.Join(r.Dir, "lock")); err == nil {
		t.Error("the lock file stays")
	}
}

// TestLockIsOne: of many that want a lock that is removed each time it is given
// back, one has it at a time.
func TestLockIsOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var mu sync.Mutex
	holders, got := 0, 0
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 50 {
				release, err := Acquire(path, "x", nil)
				if err != nil {
					continue // held: a fair refusal
				}
				mu.Lock()
				holders++
				got++
				if holders > 1 {
					t.Error("two hold the lock")
				}
				mu.Unlock()
				mu.Lock()
				holders--
				mu.Unlock()
				release()
			}
		})
	}
	wg.Wait()
	if got == 0 {
		t.Error("nobody ever got the lock")
	}
}

// TestOutlive: the lock of a killed process is free at once, but whoever takes
// it first waits for what that process left running.
func TestOutlive(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), heldEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 5)); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "slot")
	var locked *LockedError
	if _, err := Acquire(path, "run 2", nil); !errors.As(err, &locked) || locked.Owner.What != "run 1" {
		t.Fatalf("while the owner lives: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	release, err := Acquire(path, "run 2", nil)
	if err != nil {
		t.Fatal(err)
	}
	release()
	if _, err := os.Stat(filepath.Join(dir, "ended")); err != nil {
		t.Error("taken over while the child of the former owner still ran")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "locks", "*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// TestLifeCleans: a life that nobody holds any more is removed by the next one,
// one that is held stays.
func TestLifeCleans(t *testing.T) {
	s, err := NewStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	first, err := s.NewLife()
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(s.Locks(), "life-1-dead.lock")
	if err := os.WriteFile(dead, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	second, err := s.NewLife()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("a dead life stays")
	}
	if _, err := os.Stat(first.path); err != nil {
		t.Errorf("a held life is gone: %v", err)
	}
	if err := errors.Join(first.Close(), second.Close()); err != nil {
		t.Error(err)
	}
}

// TestSweepWaitsForTheDying: what a killed process started holds its life for a
// while; the sweep removes the file then, and waits for no process that lives.
func TestSweepWaitsForTheDying(t *testing.T) {
	s, err := NewStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	living, err := s.NewLife()
	if err != nil {
		t.Fatal(err)
	}
	defer living.Close()
	gone := exec.Command("true")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(s.Locks(), fmt.Sprintf("%s%s%d-00000000.lock", lifePrefix, hostTag(), gone.Process.Pid))
	held, err := newLocked(path)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	time.AfterFunc(100*time.Millisecond, func() { held.Close(); close(ended) })
	s.Sweep()
	select {
	case <-ended:
	default:
		t.Error("did not wait for what the dead process had started")
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("the life of the dead stays")
	}
	if _, err := os.Stat(living.path); err != nil {
		t.Errorf("a held life is gone: %v", err)
	}
}

func TestStore(t *testing.T) {
	s, first := newRun(t)
	if _, err := s.Open("nosuch"); !strings.Contains(err.Error(), first.ID) {
		t.Errorf("an unknown run: %v", err)
	}
	if err := os.Mkdir(filepath.Join(s.dir, "0000-killed"), 0o700); err != nil { // while it was made
		t.Fatal(err)
	}
	second, err := s.Create([]byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	ids, err := s.IDs()
	if err != nil || len(ids) != 2 {
		t.Errorf("runs %q, %v", ids, err)
	}
	if r, err := s.Open(second.ID); err != nil || r.Dir != second.Dir {
		t.Errorf("open: %v %v", r, err)
	}
	if _, err := s.Open(""); err == nil {
		t.Error("an empty id is the beginning of any")
	}
}
