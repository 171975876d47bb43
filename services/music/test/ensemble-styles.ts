import type { InstrumentName } from './instruments.ts'
import type { Metre } from './synthetic-pieces.ts'

/** What one instrument plays. */
export type Part = {
  readonly instrument: InstrumentName
  /**
   * The steps of one bar or of several in turn, evenly spaced: `X` loud, `x` usual, `o` soft, a digit n with a probability of
   * n tenths, `.` nothing.
   */
  readonly bars: readonly string[]
  /** What pitches it has: degrees above the root (the default), the whole chord, or notes that are drawn. */
  readonly plays?: 'chord' | 'melody' | 'arpeggio'
  /** Degrees above the root of the chord, in turn. */
  readonly degrees?: readonly number[]
  readonly octave?: number
  /** Length of a note relative to the time until the next (0.9), and its limit (s). */
  readonly hold?: number
  readonly longest?: number
}

export type EnsembleStyle = { readonly name: string; readonly metre: Metre; readonly parts: readonly Part[] }

const part = (
  instrument: InstrumentName,
  bars: string | readonly string[],
  rest: Omit<Part, 'instrument' | 'bars'> = {},
) => ({
  instrument,
  bars: typeof bars === 'string' ? [bars] : bars,
  ...rest,
})
const bass = { octave: -1 }
const chord = { plays: 'chord' } as const
const melody = { plays: 'melody', octave: 1 } as const

/** Rhythms of common practice, as they are notated. */
const rhythms: Record<Metre, Record<string, readonly Part[]>> = {
  '4/4': {
    disco: [
      part('dry kick', 'x...x...x...x...'),
      part('saw bass', 'x.x.x.x.x.x.x.x.', { ...bass, degrees: [0, 7] }),
      part('open hat', '..x...x...x...x.'),
      part('clap', '....x.......x...'),
      part('violins', 'x...............', { ...chord, octave: 1 }),
      part('muted guitar', '4.34.4344.34.434', { ...chord }),
    ],
    motown: [
      part('fat snare', 'x...x...x...x...'),
      part('plucked bass', 'x..x..x.x.x...x.', { ...bass, degrees: [0, 0, 4, 0, 2, 4] }),
      part('dry kick', 'x.....x.x.......'),
      part('tambourine', 'o.x.o.x.o.x.o.x.'),
      part('organ', 'x...............', chord),
      part('trumpet', '4...5.3.4...3.2.', melody),
    ],
    bossa: [
      part('guitar', ['x..x..x...x..x..', 'x..x..x...x..x..'], chord),
      part('sine bass', 'x.....xxx.....x.', { ...bass, degrees: [0, 4, 4, 4] }),
      part('shaker', 'xoxoxoxoxoxoxoxo'),
      part('rim', ['x..x..x...x..x..', '..x...x..x..x...']),
      part('flute', '5..4..3.5...4.3.', melody),
    ],
    reggae: [
      part('plucked bass', ['x...x.x...x.x...', 'x.....x.x...x.x.'], { ...bass, degrees: [0, 2, 4, 0] }),
      part('muted guitar', '..x...x...x...x.', { ...chord, hold: 0.4 }),
      part('dry kick', '....x.......x...'),
      part('rim', '....X.......X...'),
      part('closed hat', 'x.o.x.o.x.o.x.o.'),
      part('organ', '..o.4.o...o.4.o.', chord),
    ],
    'boom bap': [
      part('deep kick', ['x.....x.x.......', 'x..x....x.x.....']),
      part('fat snare', '....x.......x...'),
      part('closed hat', 'x.x.x.x.x.x.x.x3'),
      part('sine bass', 'x.....x.x.......', bass),
      part('electric piano', 'x.........4.....', chord),
    ],
    march: [
      part('concert drum', 'x...o...x...o...'),
      part('tuba', 'x.......x.......', { ...bass, degrees: [0, 4], hold: 0.5 }),
      part('horns', '....x.......x...', { ...chord, hold: 0.5 }),
      part('tight snare', 'o.xxx.x.o.xxx.x.'),
      part('trumpet', 'x..4x...x..5x.4.', melody),
    ],
    train: [
      part('brush', 'x3Xox3Xox3Xox3Xo'),
      part('plucked bass', 'x.......x.......', { ...bass, degrees: [0, 4] }),
      part('guitar', '....x.o.....x.o.', chord),
      part('harp', '5.4.5.4.5.4.5.3.', melody),
    ],
    hymn: [
      part('church organ', 'xxxx', chord),
      part('church organ', 'xxxx', { octave: -1, degrees: [0, 2, 4, 0] }),
      part('choir', 'x8x8', melody),
    ],
    chorale: [
      part('violins', 'xxxx', { ...chord, octave: 1 }),
      part('violins', 'xxxx', { degrees: [0, 2, 0, 4], octave: -1 }),
      part('violins', 'x3x3x3x3', melody),
    ],
    prelude: [
      part('harpsichord', 'xxxxxxxxxxxxxxxx', { plays: 'arpeggio', octave: 1 }),
      part('harpsichord', 'x.......x.......', { octave: -1 }),
    ],
    'walking bass': [
      part('plucked bass', 'x..x..x..x..', { ...bass, degrees: [0, 2, 4, 5], hold: 1 }),
      part('ride', 'x..x.xx..x.x'),
      part('closed hat', '...x.....x..'),
      part('grand piano', ['..4..5......', 'x....x......'], { ...chord, longest: 0.5 }),
      part('clarinet', '5.45.35.45.3', melody),
    ],
    shuffle: [
      part('dry kick', 'x.....x.....'),
      part('saw bass', 'x.ox.ox.ox.o', { ...bass, degrees: [0, 0, 4, 4, 5, 5, 4, 4] }),
      part('tight snare', '...x.....x..'),
      part('closed hat', 'x.xx.xx.xx.x'),
      part('guitar', 'x.ox.ox.ox.o', chord),
    ],
    fingerpicking: [
      part('guitar', 'x...x...x...x...', { octave: -1, degrees: [0, 4, 0, 4] }),
      part('guitar', '..x..x4...x..x4.', { plays: 'arpeggio', octave: 1 }),
      part('guitar', '5...3...4...3...', melody),
    ],
    'piano ballad': [
      part('grand piano', 'x.o.x.o.x.o.x.o.', { ...chord, longest: 1 }),
      part('grand piano', 'x.......x.....4.', { octave: -1, degrees: [0, 4] }),
      part('deep kick', 'x.......x.x.....'),
      part('fat snare', '....x.......x...'),
      part('violins', '6...4...5...3.3.', melody),
    ],
    metronome: [part('click', 'Xxxx')],
    samba: [
      part('surdo', 'o...X...o...X...'),
      part('shaker', 'xooxxooxxooxxoox'),
      part('sine bass', 'x..xx..xx..xx..x', { ...bass, degrees: [0, 4, 4, 0] }),
      part('guitar', 'x.x..x.x.x..x.x.', { ...chord, longest: 0.3 }),
    ],
    tango: [
      part('grand piano', 'X...x...X...x.o.', { ...chord, hold: 0.4 }),
      part('plucked bass', 'x...x...x...x.x.', { ...bass, degrees: [0, 4, 0, 4, 4] }),
      part('accordion', '7.5.6.4.7.4.5.55', melody),
    ],
    techno: [
      part('deep kick', 'x...x...x...x...'),
      part('closed hat', '..x...x...x...x.'),
      part('stab', 'x..x..x.........', { ...chord, longest: 0.3 }),
      part('saw bass', '..x3..x3..x3..xx', bass),
    ],
    breakbeat: [
      part('dry kick', 'x.x.......x.....'),
      part('tight snare', '....x..o.o..x..o'),
      part('closed hat', 'x.x.x.x.x.x.x.x.'),
      part('sine bass', ['x.........x.....', 'x.....x.........'], bass),
      part('electric piano', 'x...............', chord),
    ],
    'solo flute': [part('flute', ['x.4.x.4.x.x.3.5.', 'x...x.4.4.x.x...'], melody)],
    brass: [
      part('horns', 'x..xx...x...x.x.', { ...chord, hold: 0.6 }),
      part('tuba', 'x...x...x...x...', { ...bass, degrees: [0, 4], hold: 0.6 }),
      part('trumpet', 'x.4.x.5.x..4x.3.', melody),
    ],
    minimal: [
      part('marimba', 'x.xx.xx.x.xx.xx.', { plays: 'arpeggio', octave: 1 }),
      part('marimba', 'x...x...x...x...', { degrees: [0, 4, 0, 4] }),
      part('bells', 'x...............', melody),
    ],
  },
  '3/4': {
    'viennese waltz': [
      part('tuba', 'x.....', { ...bass, hold: 0.4 }),
      part('horns', '..x.x.', { ...chord, hold: 0.5 }),
      part('violins', '6.5.52', melody),
      part('tight snare', '..o.o.'),
    ],
    mazurka: [
      part('grand piano', 'x.....', { octave: -1 }),
      part('grand piano', '..X.x.', { ...chord, longest: 0.4 }),
      part('grand piano', 'x.ox..X...x.', { ...melody }),
    ],
    minuet: [
      part('harpsichord', 'x.4.4.', { octave: -1, degrees: [0, 2, 4] }),
      part('harpsichord', 'x3x5x5', melody),
      part('harpsichord', 'x.....', chord),
    ],
    'jazz waltz': [
      part('plucked bass', 'x..4..5..', { ...bass, degrees: [0, 4, 4] }),
      part('ride', 'x..x.xx..'),
      part('closed hat', '...x.....'),
      part('electric piano', ['...x....4', '.....x...'], { ...chord, longest: 0.5 }),
      part('clarinet', '5.35.45.3', melody),
    ],
    'organ hymn': [
      part('church organ', 'xxx', chord),
      part('church organ', 'x4x', { octave: -1, degrees: [0, 2, 4] }),
      part('choir', 'xx8', melody),
    ],
    'country waltz': [
      part('plucked bass', 'x.....', { ...bass, degrees: [0] }),
      part('guitar', '..x.x.', chord),
      part('brush', '..x.x3'),
      part('harp', '6.4.53', melody),
    ],
    scherzo: [
      part('short strings', 'x.....', { octave: -1 }),
      part('short strings', '..x.x.', chord),
      part('short strings', 'x4x4x4', melody),
    ],
    'slow rock waltz': [
      part('deep kick', 'x.........3.'),
      part('fat snare', '....x.......'),
      part('closed hat', 'x.x.x.x.x.x.'),
      part('saw bass', 'x.......4...', bass),
      part('guitar', 'x.o.x.o.x.o.', chord),
    ],
    musette: [
      part('accordion', 'x.4.5.', melody),
      part('plucked bass', 'x.....', { ...bass, degrees: [0] }),
      part('muted guitar', '..x.x.', chord),
    ],
  },
  '6/8': {
    'slow rock': [
      part('deep kick', 'x....x......'),
      part('fat snare', '......x.....'),
      part('closed hat', 'x.x.x.x.x.x.'),
      part('saw bass', 'x.......x...', bass),
      part('organ', 'x...........', chord),
    ],
    tarantella: [
      part('tambourine', 'xooxoo'),
      part('guitar', 'x.ox.o', chord),
      part('accordion', 'x4xx4x', melody),
      part('plucked bass', 'x..x..', { ...bass, degrees: [0, 4] }),
    ],
    siciliano: [
      part('violins', 'x..xx.x..xx.', melody),
      part('violins', 'x.....x.....', { octave: -1, degrees: [0, 4] }),
      part('harpsichord', 'x...x.x...x.', chord),
    ],
    lullaby: [
      part('harp', 'xxxxxx', { plays: 'arpeggio' }),
      part('harp', 'x.....', { octave: -1 }),
      part('flute', 'x.4x.3', melody),
    ],
    barcarolle: [
      part('grand piano', 'x..4..', { octave: -1, degrees: [0, 4] }),
      part('grand piano', '.xx.xx', { ...chord, longest: 0.4 }),
      part('violins', 'x.4x.4', melody),
    ],
    'pipe tune': [
      part('concert drum', 'x..o..'),
      part('tight snare', 'xooxoo'),
      part('accordion', 'x5xx5x', melody),
      part('organ', 'x.....', { ...chord }),
    ],
  },
}

export const ensembleStyles: readonly EnsembleStyle[] = (['4/4', '3/4', '6/8'] as const).flatMap((metre) =>
  Object.entries(rhythms[metre]).map(([name, parts]) => ({ name, metre, parts })),
)

export const stylesByName: ReadonlyMap<string, EnsembleStyle> = new Map(
  ensembleStyles.map((style) => [style.name, style]),
)
