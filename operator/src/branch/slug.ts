import type { Branch } from '../crds/mod.ts'

const longest = 40

/**
 * Derives a slug from a display label: `Büro Zürich, 2. Stock` becomes `buro-zurich-2-stock`. Empty if the label
 * contains no letter a-z and no digit.
 */
export const slugFromLabel = (label: string): string =>
  label
    .normalize('NFKD')
    // Combining marks that normalization separated from their letters, such as accents.
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, longest)
    .replace(/-+$/, '')

/** The name of a Branch in URLs. Neither an explicit slug nor the label that it is derived from can be changed. */
export const slugOf = ({ spec, metadata }: Pick<Branch, 'spec' | 'metadata'>): string =>
  spec.slug ?? (slugFromLabel(spec.label ?? '') || metadata.name)

/** Whether `a` was created before `b`; the uid decides within the same second. */
export const isOlder = ({ metadata: a }: Branch, { metadata: b }: Branch): boolean => {
  const [one = '', other = ''] = [a.creationTimestamp, b.creationTimestamp]
  return one === other ? a.uid < b.uid : one < other
}

/** Whether `a` takes precedence for a shared slug: the one with a Secret, otherwise the older one. */
const hasPrecedence = (a: Branch, b: Branch): boolean => {
  const [has, otherHas] = [a.status.secretName !== undefined, b.status.secretName !== undefined]
  return has === otherHas ? isOlder(a, b) : has
}

/** The other Branch that holds the slug; undefined if this one does. */
export const slugHolder = (branch: Branch, sameSlug: readonly Branch[]): Branch | undefined =>
  sameSlug
    .filter((other) => other.metadata.uid !== branch.metadata.uid && hasPrecedence(other, branch))
    .sort((a, b) => (hasPrecedence(a, b) ? -1 : 1))[0]
