package app

import "testing"

func TestCommandLine(t *testing.T) {
	tests := []struct {
		words []string
		want  string
	}{
		{[]string{"./gemm", "--m=4096", "-n", "5"}, "./gemm --m=4096 -n 5"},
		{[]string{"sh", "-c", "echo lines $(wc -l <f)"}, "sh -c 'echo lines $(wc -l <f)'"},
		{[]string{"echo", "it's", ""}, `echo 'it'\''s' ''`},
		{[]string{"ls", "~", "*"}, "ls '~' '*'"},
		{[]string{"./büch"}, "'./büch'"}, // not needed, not wrong
	}
	for _, tt := range tests {
		if got := commandLine(tt.words); got != tt.want {
			t.Errorf("commandLine(%q) = %s, want %s", tt.words, got, tt.want)
		}
	}
}
