const longest = 40

/** What a search takes for "of no branch". */
export const noBranch = 'none'

/** A slug for a label: letters without their marks, in lower case, and a dash for whatever else stands between; undefined where nothing is left. */
export const slugOf = (label: string): string | undefined => {
  const slug = label
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, longest)
    .replace(/-$/, '')
  return slug === '' ? undefined : slug
}
