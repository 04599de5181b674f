package search

// Every number that the adaptive planner was given rather than measured. Those
// marked † were tuned by simulation on the noise families of docs/METHOD.md.
const (
	// The ends.
	endRunsFirst   = 2    // runs a side before the first test: the least that shows scatter
	endRunsMax     = 60   // † runs a side after which the gap is called too small
	endRunsNone    = 6    // runs a side before "no regression" may be said
	endZ           = 2.15 // † standard errors between the ends; the pairs at the end guard against a chance gap
	endZNamed      = 2.7  // † the same before a step below weakSeparation is named
	swappedZ       = 3.3  // the same for a gap of the wrong sign, which nothing checks afterwards; one-sided p = 0.0005
	endZFew        = 1.8  // † factor on endZ for 3 or 4 runs a side, whose scatter is itself uncertain
	endZSome       = 1.25 // † factor on endZ below 8 runs a side
	endZFirst      = 3.0  // † factor on endZ for 2 runs a side
	noGapZ         = 2.3  // one-sided 99 %: the largest gap that the data still allow
	endGrowth      = 1.5  // most by which a batch multiplies the runs of a side
	modeShare      = 0.15 // smaller groups of runs are outliers, not a mode
	modeDistance   = 4.0  // scatters between two modes; two halves of one normal are 2.7 apart
	modeRuns       = 20   // runs a side before two modes stop a hunt
	modeOverGap    = 1.0  // modes further apart than this many gaps hide the gap
	stickyRho      = 0.5  // autocorrelation worth a warning
	referenceShare = 0.10 // relative change of good against its recorded value
	referenceZ     = 3.0  // and in scatters, from which good is not what it was

	// Scatter and gap.
	leastScatter  = 1e-4 // relative; below it a benchmark is exact for our purpose
	exactSteps    = 12   // gap in printed steps from which "no scatter at all" is believed
	defaultMinGap = 1.0  // percent
	minGapSteps   = 2.0  // printed steps

	// Inference.
	sureFast, sureSlow = 0.03, 0.97 // P(slow) from which a position helps to place the levels
	gridReach          = 2          // points of the level grids on each side
	gridStep           = 1.25       // their distance in standard errors of the level
	scaleReach         = 1          // points of the scatter grid on each side
	scaleShift         = 1.02       // † the scatter grid's centre over the robust scale
	scaleStepLeast     = 0.12       // least distance of its points in log
	scaleStep          = 1.2        // their distance is this over √runs
	lambdaLeast        = 0.25       // tempering never takes more than three quarters of the evidence
	lambdaBias         = 0.75       // † the lag-1 autocorrelation of n independent runs strays by about 1/√n: only what is above counts
	separationBias     = 0.9        // † d' is estimated high while the scatter is estimated from few runs
	switchRuns         = 6          // runs at positions with several from which two values in turn can be told
	switchScale        = 0.35       // † least scatter in gaps of such a benchmark
	driftT             = 2.2        // t statistic from which a trend is corrected
	driftShrink        = 1.5        // and how much of it is held back
	driftClip          = 6.0        // residuals are clipped at this many scatters
	negligible         = 16.0       // e^-16: grid points and cells this far below the best are left out
	trimAbove          = 64         // sites above which those far from the step are left out of the integration
	trimMass           = 1e-9       // a cell with less cannot be where the step is
	keepSites          = 12         // sites that stay on each side of it
	markOdds           = 99.0       // what a user's uncertain verdict weighs

	// Choice.
	separationCap  = 4.0  // beyond it more runs in one visit say nothing new
	testableChance = 0.9  // prior chance that an untried position builds and runs
	referenceEvery = 10   // † every so many runs one is a reference
	referenceWeak  = 6    // † the same below weakSeparation, where a machine that changes hides the gap
	referenceBelow = 8.0  // † separation above which references are not needed
	dearBuild      = 10   // build cost in runs from which a new build gets several runs at once
	dearSeparation = 2.5  // † d'·√r that such a first visit aims at
	dearRunsMax    = 8    // its most runs
	rowMax         = 4    // runs in a row at one position while references alternate
	tieTolerance   = 1e-9 // relative: equal scores must stay equal after rounding

	workerZ = 3.0 // standard errors from which one machine counts as slower than the others

	// Confirmation.
	pairMass         = 0.8   // † posterior from which pairs say more than anything else
	nameMass         = 0.97  // † posterior from which a commit is named
	quickMass        = 0.90  // the same for --confidence quick, whose promise is no more
	nameMassWeak     = 0.995 // † the same below weakSeparation, where states of the machine hide in the scatter
	nameMassStrict   = 0.992 // the same for --confidence strict
	weakSeparation   = 4.0   // † states of a clock are up to two scatters apart and look like d' up to this
	pairsMax         = 40    // pairs after which a suspect that is not proved is dropped
	oddsQuick        = 1.5   // ln odds of the pairs: 4 to 1
	oddsNormal       = 3.0   // 20 to 1
	oddsWeak         = 4.0   // † 55 to 1, below weakSeparation
	oddsSticky       = 5.0   // † 150 to 1, where runs depend on the ones before them
	oddsStrict       = 4.6   // 99 to 1
	pairsQuick       = 2     // enough with --confidence quick
	pairOneFrom      = 8.0   // † separation from which one pair may prove a step
	pairTwoFrom      = 5.0   // † and two; below it four, because states of the machine can hide in the scatter
	stickyLambda     = 0.9   // † share of the evidence left by autocorrelation, below which runs are taken to depend
	rejectOdds       = -3.0  // ln odds at which a suspect is dropped
	statedCap        = 0.995 // never said to be surer: the families show one wrong answer in 200
	statedCapWeak    = 0.99  // † nor than this below weakSeparation
	statedCapOffset  = 0.95  // † nor than this where commits have large offsets of their own
	offsetSeparation = 1.6   // † separation from which offsets of a fifth of the gap can be seen
	offsetShown      = 0.1   // † probability of the largest offsets from which they count as seen; twice the prior
	explainedMax     = 1e6   // percent: a gap of nearly nothing explains nothing
	unconfirmedCap   = 0.95  // the posterior alone is not calibrated under real noise
	bracketMass      = 0.9   // of the posterior in the range that progress and a spent budget show
	futileBits       = 2.5   // entropy of the posterior at which giving up on the rest is considered
	futileRuns       = 12    // † expected runs for it that are always worth while
	futileShare      = 0.2   // † and as a share of those made
	amongMax         = 12    // largest set that is named
	failuresQuestion = 3     // failures in a row after which the user is asked, once

	failuresMost = 3 // failures of a position that also gave values, and no fewer than those, after which it is left alone

	// Several steps.
	middleShare  = 0.25 // of the gap: a level this far from both ends is a level of its own
	middleZ      = 4.0  // and by this many of its own and the ends' standard errors
	landingSites = 3    // † neighbouring positions that make a level
	stuckZ       = 2.0  // † the same when no run tells anything more
	alikeShare   = 0.1  // † of the gap: levels this close are one
	alikeZ       = 2.5  // or in standard errors
	quietShare   = 0.8  // † of the other positions that must lie on the two levels
	residualGap  = 0.2  // of the whole gap: smaller rests are not searched
	residualZ    = 3.5  // nor those within this many standard errors
	residualPlan = 4.0  // standard errors on middleShare of the gap that the rest's ends aim at
	residualMin  = 3    // runs at each end of a rest, at least
	residualMax  = 25   // and at most: a rest that takes more is not worth it
	stepsMax     = 4    // named at most

	// The estimate of what is left.
	typicalSeparation = 5.0  // before anything is measured
	perBit            = 3.5  // † d' at which one run is worth a bit
	endRunsFactor     = 28.0 // † runs a side that the ends take are this over d'²
	pairsTypical      = 3.0  // runs in a confirmation, in units of a bit's

	// When a hunt costs far more than planned.
	overrunFactor = 3.0  // times the plan after which the ends are compared again
	overrunPairs  = 5    // runs a side of that comparison
	overrunGap    = 0.5  // share of the gap below which it is gone
	giveUpFactor  = 10.0 // times the plan: stop with the best bracket
	giveUpRuns    = 200  // and this many runs more, so that a small plan does not stop a hard hunt
)

// runLadder are the numbers of runs that a visit may have.
var runLadder = [...]int{1, 2, 3, 4, 6, 8, 12, 16}

// offsetShares are the sizes that a commit's own permanent offset may have (code
// layout, alignment), as sd in gaps, and offsetPriors† how likely each is.
var (
	offsetShares = [3]float64{0.02, 0.08, 0.2}
	offsetPriors = offsetWeights{0.9, 0.05, 0.05}
)
