package amdgpu

import (
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
)

// errNotPlain means that a document uses YAML beyond the subset LLVM writes.
var errNotPlain = errors.New("not the plain subset")

// parseYAML reads the text between .amdgpu_metadata and .end_amdgpu_metadata.
// The subset that LLVM's printer writes is read by plainYAML, about 40 times
// faster than yaml.v3 (see the benchmarks); whatever that one does not
// understand, hand-written flow maps and tags included, goes to yaml.v3.
func parseYAML(doc []byte) (*metadata, error) {
	m, err := plainYAML(doc)
	if err == nil {
		return m, nil
	}
	return generalYAML(doc)
}

// maxGeneralYAML bounds what is given to yaml.v3, which needs some 30 bytes of
// memory for one of text.
const maxGeneralYAML = 16 << 20

func generalYAML(doc []byte) (*metadata, error) {
	m := new(metadata)
	if len(doc) > maxGeneralYAML {
		return m, fmt.Errorf("parsing metadata: %d bytes of YAML outside LLVM's own layout, over the limit of %d", len(doc), maxGeneralYAML)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(doc, &root); err != nil {
		return m, fmt.Errorf("parsing metadata: %w", err)
	}
	if len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return m, errors.New("parsing metadata: the document is not a map")
	}
	for key, v := range pairs(root.Content[0]) {
		switch {
		case key == "amdhsa.kernels":
			m.yamlKernels(v)
		case key == "amdhsa.version":
			for _, n := range v.Content {
				m.addVersion(nodeScalar(n))
			}
		case v.Kind == yaml.ScalarNode:
			m.setTop(key, nodeScalar(v))
		}
	}
	return m, nil
}

func (m *metadata) yamlKernels(list *yaml.Node) {
	m.hasKernels = true
	if list.Kind != yaml.SequenceNode {
		m.faults = append(m.faults, "amdhsa.kernels is not a list")
		return
	}
	for _, n := range list.Content {
		n = deref(n)
		if n.Kind != yaml.MappingNode {
			m.faults = append(m.faults, fmt.Sprintf("line %d: an entry of amdhsa.kernels is not a map", n.Line))
			continue
		}
		var k metaKernel
		for key, v := range pairs(n) {
			switch {
			case key == ".args":
				k.yamlArgs(v)
			case v.Kind == yaml.ScalarNode:
				k.set(key, nodeScalar(v))
			default:
				k.setNotScalar(key)
			}
		}
		m.kernels = append(m.kernels, k)
	}
}

func (k *metaKernel) yamlArgs(list *yaml.Node) {
	for _, arg := range list.Content {
		for key, v := range pairs(deref(arg)) {
			if v.Kind == yaml.ScalarNode {
				k.setArg(key, nodeScalar(v))
			}
		}
	}
}

// pairs yields the pairs of a map; nothing for any other node.
func pairs(n *yaml.Node) func(yield func(string, *yaml.Node) bool) {
	return func(yield func(string, *yaml.Node) bool) {
		if n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.Content); i += 2 {
			if !yield(deref(n.Content[i]).Value, deref(n.Content[i+1])) {
				return
			}
		}
	}
}

// deref follows one alias; an alias of an alias cannot be written.
func deref(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode && n.Alias != nil {
		return n.Alias
	}
	return n
}

func nodeScalar(n *yaml.Node) scalar {
	n = deref(n)
	quoted := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0
	return scalar{n.Value, quoted}
}
