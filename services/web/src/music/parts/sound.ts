type Sound = { bpm: number | null; key: string | null; loudness_lufs: number | null }

/** Tempo, key and loudness of a piece or a take in words. */
export const soundOf = ({ bpm, key, loudness_lufs: loudness }: Sound): string[] => [
  bpm === null ? 'no steady beat' : `${Math.round(bpm)} bpm`,
  key ?? 'no key',
  loudness === null ? 'silence' : `${loudness.toFixed(1).replace('-', '−')} LUFS`,
]
