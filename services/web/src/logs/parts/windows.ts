export const presets = [
  ['', 'All time'],
  ['-15m', 'Last 15 minutes'],
  ['-1h', 'Last hour'],
  ['-6h', 'Last 6 hours'],
  ['-24h', 'Last 24 hours'],
  ['-7d', 'Last 7 days'],
  ['-30d', 'Last 30 days'],
] as const

const unitNames: Record<string, string> = { m: 'minute', h: 'hour', d: 'day', w: 'week' }

/** A relative bound in words, such as "Last 3 hours"; undefined for any other. */
export const relativeWords = (bound: string): string | undefined => {
  const preset = presets.find(([known]) => known === bound && known !== '')
  if (preset) return preset[1]
  const [, count = '', unit = ''] = /^-(\d{1,4})([mhdw])$/.exec(bound) ?? []
  const name = unitNames[unit]
  if (name === undefined) return undefined
  return count === '1' ? `Last ${name}` : `Last ${count} ${name}s`
}
