/**
 * Parameters of the masks. They were chosen on synthesised pieces with known stems, in stereo and in mono (docs/benchmarks.md);
 * none depends on a piece.
 */
export const maskSettings = {
  /** Length of the median along time (s) that sustained sounds pass, and of the one along frequency (Hz) that hits pass. */
  sustainedSeconds: 0.4,
  hitHertz: 350,
  /** Below this a drum has too few bins to pass the median along frequency: all that is not sustained counts as a hit. */
  lowHitHertz: 250,

  /** Repetitions that the background is the median of, and their minimum distance (s). */
  repetitions: 30,
  repetitionSeconds: 0.5,

  /** Range of the tracked bass, and the frequency at which its harmonics have faded out. */
  bassHertz: [35, 260],
  bassTopHertz: 600,
  /** Half width of a harmonic of the bass (one standard deviation, Hz). */
  bassWidthHertz: 14,
  /** Share of the sustained sound below `lowBassHertz` that belongs to the bass, wherever its pitch is. */
  lowBassShare: 0.3,
  lowBassHertz: 250,

  /** Range of the tracked voice, and the highest harmonic that is searched. */
  voiceHertz: [90, 1_000],
  voiceTopHertz: 5_500,
  /** Nothing below this is sung. */
  voiceFloorHertz: 80,
  /** How much only sounds in the centre of the stereo image count as sung. */
  centreExponent: 6,
  /** Half width of a harmonic of the voice (Hz), and by how much of the change of pitch per frame it is wider. */
  voiceWidthHertz: 16,
  voiceWidthPerChange: 0.7,
  /** How much a voice is expected to fluctuate: weights of the unsteady share when it is tracked, and in its mask. */
  unsteadyWhenTracked: 0.9,
  unsteadyInMask: 0.5,
  /** Share of a harmonic of the voice that belongs to it, and how much of that depends on not repeating. */
  harmonicShare: 0.9,
  harmonicForeground: 0.4,
  /** Share of what does not repeat, between the harmonics: breath and consonants. */
  foregroundShare: 0.2,
  /** The voice is silent below the first, and certain from the second on, relative to its usual salience. */
  voicedFrom: 0.35,
  voicedTo: 0.75,
} as const
