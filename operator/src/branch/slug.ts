import type { Branch } from '../crds/mod.ts'

const longest = 40

/** A slug out of a label for people: `Büro Zürich, 2. Stock` is `buro-zurich-2-stock`. Empty where no letter a-z and no digit is in it. */
export const slugFromLabel = (label: string): string =>
  label
    .normalize('NFKD')
    // What letters were parted from: accents, and other marks.
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, longest)
    .replace(/-+$/, '')

/** The name of a Branch in addresses; neither a given slug nor the label that one is derived from can be changed. */
export const slugOf = ({ spec, metadata }: Pick<Branch, 'spec' | 'metadata'>): string =>
  spec.slug ?? (slugFromLabel(spec.label ?? '') || metadata.name)

/** Which of two came first; the uid decides within a second. */
export const isOlder = ({ metadata: a }: Branch, { metadata: b }: Branch): boolean => {
  const [one = '', other = ''] = [a.creationTimestamp, b.creationTimestamp]
  return one === other ? a.uid < b.uid : one < other
}

/** Of two with one slug: the one that has made something of it, else the older one. */
const goesBefore = (a: Branch, b: Branch): boolean => {
  const [has, otherHas] = [a.status.secretName !== undefined, b.status.secretName !== undefined]
  return has === otherHas ? isOlder(a, b) : has
}

/** The other Branch that a slug belongs to; undefined where it belongs to this one. */
export const slugHolder = (branch: Branch, sameSlug: readonly Branch[]): Branch | undefined =>
  sameSlug
    .filter((other) => other.metadata.uid !== branch.metadata.uid && goesBefore(other, branch))
    .sort((a, b) => (goesBefore(a, b) ? -1 : 1))[0]
