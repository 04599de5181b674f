// Perfbisect finds the commit that made a GPU kernel slow, proves it, and shows
// what changed in its AMDGPU machine code.
package main

func main() {}
