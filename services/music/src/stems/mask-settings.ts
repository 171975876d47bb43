/** Parameters of the cues that masks are computed from. None depends on a piece. */
export const maskSettings = {
  /** Length of the median along time (s) that notes pass and strokes of drums do not. */
  noteSeconds: 0.17,
  /** Length of the median along time (s) that sustained sounds pass, and of the one along frequency (Hz) that hits pass. */
  sustainedSeconds: 0.4,
  hitHertz: 350,
  /** Below this a drum has too few bins to pass the median along frequency: all that is not sustained counts as a hit. */
  lowHitHertz: 250,

  /** Repetitions that the background is the median of, and their minimum distance (s). */
  repetitions: 10,
  repetitionSeconds: 1,

  /** Frames before and after one over which the place in the stereo image is averaged: single bins of reverberation point anywhere. */
  centreFrames: 2,
  /** A piece whose channels differ by less than this share of their magnitudes is mono. */
  monoShare: 0.002,

  /** Range of the tracked bass in what repeats, and in the mixture, where a low voice would be taken for it. */
  bassHertz: [35, 180],
  bassHertzInMixture: [35, 130],
  /** The frequency at which harmonics of the bass have faded out. */
  bassTopHertz: 1_000,
  /** Half width of a harmonic of the bass (one standard deviation, Hz). */
  bassWidthHertz: 14,
  /** How close to the bass everything below `lowBassHertz` is, wherever its pitch is. */
  lowBassShare: 0.3,
  lowBassHertz: 250,

  /** Range of the tracked voice, and the highest harmonic that is searched. */
  voiceHertz: [90, 1_000],
  voiceTopHertz: 5_500,
  /** The voice begins at this frequency, over this width. */
  voiceFloorHertz: 90,
  voiceFloorWidth: 60,
  /** Half width of a harmonic of the voice (Hz), and by how much of the change of pitch per frame it is wider. */
  voiceWidthHertz: 16,
  voiceWidthPerChange: 0.7,
  /** How much a voice is expected to fluctuate when it is tracked: the weight of the unsteady share. */
  voiceUnsteadiness: 0.9,
} as const
