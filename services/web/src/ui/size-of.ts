const units = ['B', 'KB', 'MB', 'GB', 'TB']

/** A number of bytes for readers, such as "1.5 MB". */
export const sizeOf = (bytes: number): string => {
  const power = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3))
  const value = bytes / 1_000 ** power
  return `${value < 10 && power > 0 ? value.toFixed(1) : Math.round(value)} ${units[power]}`
}
