/** A moment as the value of an input of the browser, in local time or UTC. */
export const toInput = (iso: string, zone: 'local' | 'utc'): string => {
  const time = new Date(iso)
  if (Number.isNaN(time.getTime())) return ''
  const shifted = zone === 'utc' ? time : new Date(time.getTime() - time.getTimezoneOffset() * 60_000)
  return shifted.toISOString().slice(0, 19)
}

export const fromInput = (value: string, zone: 'local' | 'utc'): string => {
  const time = Date.parse(zone === 'utc' ? `${value}Z` : value)
  return Number.isNaN(time) ? '' : new Date(time).toISOString()
}
