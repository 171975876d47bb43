/** How many listings fit beside each other. */
export const maxCompared = 4

export const comparePath = (ids: readonly string[]): string =>
  `/listings/compare?ids=${ids.map(encodeURIComponent).join(',')}`

/** Why a number of listings cannot be compared. */
export const cannotCompare = (count: number): string | undefined => {
  if (count < 2) return 'Choose at least two.'
  return count > maxCompared ? `At most ${maxCompared} can be compared.` : undefined
}
