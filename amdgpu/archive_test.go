package amdgpu

import (
	"fmt"
	"strings"
	"testing"
)

// arMember is one member of an archive that arOf writes. raw is the name field.
type arMember struct{ raw, data string }

func arOf(magic string, members ...arMember) string {
	b := strings.Builder{}
	b.WriteString(magic)
	for _, m := range members {
		fmt.Fprintf(&b, "%-16s%-12d%-6d%-6d%-8s%-10d`\n", m.raw, 0, 0, 0, "644", len(m.data))
		if magic == thinArchiveMagic && m.raw != "/" && m.raw != "//" {
			continue
		}
		b.WriteString(m.data)
		if len(m.data)%2 == 1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// TestArchives reads the flavours that ar, llvm-ar and libtool write.
func TestArchives(t *testing.T) {
	device := string(makeObject(note(testTarget, oneKernel()), oneKernel()))
	fat := string(hostObject(bundleOf([]byte(device))))
	host := string(hostObject(nil))
	long := "a_name_of_more_than_fifteen_letters.o"
	for _, c := range []struct {
		reason, archive string
		files           string // of the kernels, in order of their keys
		exit            int
		contains        string // in problems, warnings and skips
	}{
		{"GNU", arOf(archiveMagic, arMember{"/", "\x00\x00\x00\x00"}, arMember{"k.o/", device}, arMember{"h.o/", host}), "l.a(k.o)", 0, "l.a(h.o) ELF for another machine"},
		{"GNU with long names", arOf(archiveMagic, arMember{"//", long + "/\nother.o/\n"}, arMember{"/0", device}, arMember{"/39", fat}), "l.a(" + long + ") l.a(other.o)#hipv4-amdgcn-amd-amdhsa--gfx90a", 0, ""},
		{"BSD", arOf(archiveMagic, arMember{"__.SYMDEF", "\x00"}, arMember{"#1/40", long + "\x00\x00\x00" + device}, arMember{"k.o", device}), "l.a(" + long + ") l.a(k.o)", 0, ""},
		{"a symbol table of Darwin", arOf(archiveMagic, arMember{"#1/20", "__.SYMDEF SORTED\x00\x00\x00\x00xyz"}, arMember{"k.o", device}), "l.a(k.o)", 0, ""},
		{"an odd length", arOf(archiveMagic, arMember{"x/", "y"}, arMember{"k.o/", device}), "l.a(k.o)", 0, ""},
		{"two members of one name", arOf(archiveMagic, arMember{"k.o/", device}, arMember{"k.o/", device}), "l.a(k.o) l.a(k.o@1)", 0, ""},
		{"bitcode beside code", arOf(archiveMagic, arMember{"b.o/", "BC\xc0\xde1234"}, arMember{"k.o/", device}), "l.a(k.o)", 0, "unlinked: l.a(b.o)"},
		{"an archive in an archive", arOf(archiveMagic, arMember{"in.a/", arOf(archiveMagic, arMember{"k.o/", device})}), "l.a(in.a)(k.o)", 0, ""},
		{"only host code", arOf(archiveMagic, arMember{"h.o/", host}), "", 2, "no_isa_found"},
		{"no members", archiveMagic, "", 2, "an archive without members"},
		{"thin", arOf(thinArchiveMagic, arMember{"/", "\x00\x00"}, arMember{"//", "sub/k.o/\n"}, arMember{"/0", device}), "", 2, "l.a(sub/k.o) a member of a thin archive"},
		{"cut in a member", arOf(archiveMagic, arMember{"k.o/", device}, arMember{"l.o/", device})[:len(device)+1000], "l.a(k.o)", 2, "truncated"},
		{"cut in a header", arOf(archiveMagic, arMember{"k.o/", device}) + "l.o/", "l.a(k.o)", 2, "truncated"},
		{"a size of 2^40", strings.Replace(arOf(archiveMagic, arMember{"k.o/", device}), fmt.Sprintf("%-10d", len(device)), "1099511627", 1), "", 2, "truncated"},
		{"a negative size", strings.Replace(arOf(archiveMagic, arMember{"k.o/", device}), fmt.Sprintf("%-10d", len(device)), "-1        ", 1), "", 2, "the size"},
		{"a header that is none", strings.Replace(arOf(archiveMagic, arMember{"k.o/", device}), "`\n", "xx", 1), "", 2, "no member where one should start"},
		{"a long name outside the table", arOf(archiveMagic, arMember{"//", "k.o/\n"}, arMember{"/99", device}), "", 2, "not in the table"},
		{"a BSD name longer than its member", arOf(archiveMagic, arMember{"#1/9999999", device}), "", 2, "a member's name"},
		{"a cut object in it", arOf(archiveMagic, arMember{"k.o/", device[:700]}), "", 2, "truncated"},
	} {
		s, _ := LoadBytes("l.a", []byte(c.archive))
		var files []string
		for i := range s.Kernels {
			files = append(files, s.Kernels[i].File)
		}
		if got := strings.Join(files, " "); got != c.files || s.ExitCode() != c.exit {
			t.Errorf("%s: kernels of %q, exit %d, want %q and %d\n%v", c.reason, got, s.ExitCode(), c.files, c.exit, s.Problems)
		}
		if all := fmt.Sprint(s.Problems, s.Warnings, s.Skipped); !strings.Contains(all, c.contains) {
			t.Errorf("%s: no %q in %s", c.reason, c.contains, all)
		}
	}
}

// TestArchiveBesideObjects: the object that went into the archive is the same
// kernel, one of that name in another member is not.
func TestArchiveBesideObjects(t *testing.T) {
	device := string(makeObject(note(testTarget, oneKernel()), oneKernel()))
	more := oneKernel()
	more[0].lds, more[0].kdLDS = 1024, 1024
	other := string(makeObject(note(testTarget, more), more))
	archive := arOf(archiveMagic, arMember{"k.o/", device}, arMember{"other.o/", other})
	s, _ := Load(write(t, map[string]string{"b/k.o": device, "b/l.a": archive}))
	if len(s.Kernels) != 2 || s.ExitCode() != 0 {
		t.Errorf("%d kernels, %v", len(s.Kernels), s.Problems)
	}
	b, _ := LoadBytes("l.a", []byte(archive))
	for name, c := range map[string]struct {
		name string
		exit int
	}{"members in another order": {"l.a", 0}, "another archive": {"m.a", 2}} {
		a, _ := LoadBytes(c.name, []byte(arOf(archiveMagic, arMember{"other.o/", other}, arMember{"k.o/", device})))
		if d := Compare(b, a, Options{}); d.ExitCode != c.exit || c.exit == 0 && d.Compared != 2 {
			t.Errorf("%s: %s, %v", name, d.Verdict, d.Problems)
		}
	}
}
