import { createEvidence } from './evidence.ts'
import { type Fingerprint, fingerprintOf } from './fingerprint.ts'
import { covers, generalise, type Pieces, piecesOf } from './form-pieces.ts'
import { wildcard } from './masking.ts'
import { templateIdOf } from './template-id.ts'

/** A form that stands for itself and for all that are `into` it. */
export type KnownTemplate = {
  templateId: string
  form: string
  /** It was made of others, and takes in every form that it covers. */
  isGeneral: boolean
  /** The id of a more general template that has taken its place. */
  into: string | null
}

/**
 * Finds templates among forms, one at a time, in the manner of Drain (He et al., ICWS 2017) with places judged as Brain does (Yu et al.,
 * TSC 2023): a place in which enough different words were seen, all else being the same, is variable. What was known before goes into the
 * more general template then, so an id that was given always leads to its template. Since an id is a hash of its form, miners that see the
 * same kinds of lines come to the same templates, whatever the order.
 */
export type Miner = {
  /** The template of a form now; `undefined` where it is not known and `mine` was not asked. */
  find: (form: string) => string | undefined
  /** The template of a form; a new one where none takes it in. Empty for an empty form. */
  mine: (form: string) => string
  /** The template that an id leads to now; the id itself where it is not known. */
  resolve: (templateId: string) => string
  /** All ids that lead to a template, itself among them. */
  members: (templateId: string) => string[]
  formOf: (templateId: string) => string | undefined
  /** All that is known of one. */
  templateOf: (templateId: string) => KnownTemplate | undefined
  /** Takes over what another miner found. */
  learn: (templates: readonly KnownTemplate[]) => void
  /** What has changed since the last call, by what was mined here. */
  changes: () => KnownTemplate[]
  readonly size: number
}

/** So many different words make a place variable. */
const wordsOfVariable = 4
/** A place that is known to hold values, by a form with a wildcard there, is variable with one word beside it, whichever comes first. */
const wordsBesideWildcard = 1
/** So much of a template's words must stay. */
const minConstant = 0.6
/** Forms that have the same gaps and first word; with more of them two places are looked at together. */
const fewInBucket = 8
/** Words of which two are looked at together: there are 66 pairs among twelve. */
const maxForPairs = 12
/** With so many, further ones are one template that has the first word alone. */
const maxInBucket = 256
/** A form with more words is itself alone. */
const maxWords = 64

type Node = { template: KnownTemplate; pieces: Pieces; fingerprint: Fingerprint }

/** What forms have to share to be one template: how many words there are, and what stands between them. */
const skeletonOf = ({ gaps }: Pieces): string => gaps.join('\0')
const firstOf = ({ words }: Pieces): string => words[0] ?? ''

/** `most` templates are kept in mind; of more, those not met for longest are forgotten, and found again by their form. */
export const createMiner = (max: number): Miner => {
  const byId = new Map<string, Node>()
  const byForm = new Map<string, string>()
  const byFingerprint = new Map<number, Node>()
  /** By skeleton, then by first word. */
  const buckets = new Map<string, Map<string, Set<Node>>>()
  const evidence = createEvidence(wordsOfVariable)
  let changed = new Map<string, KnownTemplate>()

  const bucketsOf = (pieces: Pieces): ReadonlyMap<string, ReadonlySet<Node>> =>
    buckets.get(skeletonOf(pieces)) ?? new Map()
  const crowdOf = (pieces: Pieces): number => bucketsOf(pieces).get(firstOf(pieces))?.size ?? 0
  const note = (node: Node) => {
    changed.set(node.template.templateId, node.template)
  }
  const forget = (node: Node) => {
    const { template, pieces, fingerprint } = node
    byId.delete(template.templateId)
    byFingerprint.delete(fingerprint.whole)
    const skeleton = skeletonOf(pieces)
    const byFirst = buckets.get(skeleton)
    const bucket = byFirst?.get(firstOf(pieces))
    bucket?.delete(node)
    if (bucket?.size === 0) byFirst?.delete(firstOf(pieces))
    if (byFirst?.size === 0) buckets.delete(skeleton)
  }
  const keep = (template: KnownTemplate, pieces: Pieces): Node => {
    const [oldest] = byId.size >= max ? byId.values() : []
    if (oldest) forget(oldest)
    const node: Node = { template, pieces, fingerprint: fingerprintOf(pieces) }
    byId.set(template.templateId, node)
    byFingerprint.set(node.fingerprint.whole, node)
    const byFirst = buckets.get(skeletonOf(pieces)) ?? new Map<string, Set<Node>>()
    buckets.set(skeletonOf(pieces), byFirst)
    byFirst.set(firstOf(pieces), (byFirst.get(firstOf(pieces)) ?? new Set()).add(node))
    return node
  }
  const touch = (templateId: string) => {
    const node = byId.get(templateId)
    if (!node) return
    byId.delete(templateId)
    byId.set(templateId, node)
  }
  const resolve = (templateId: string): string => {
    let id = templateId
    // A template only ever goes into one that is more general, so this ends.
    for (let node = byId.get(id); node?.template.into; node = byId.get(id)) id = node.template.into
    return id
  }
  /** The most exact of the general templates that cover a form. */
  const findCover = (pieces: Pieces): Node | undefined => {
    const firsts = new Set([firstOf(pieces), wildcard])
    const inSkeleton = bucketsOf(pieces)
    let best: Node | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const first of firsts) {
      for (const node of inSkeleton.get(first) ?? []) {
        const { isGeneral, into } = node.template
        if (!isGeneral || into !== null || !covers(node.pieces.words, pieces.words)) continue
        const wildcards = node.pieces.words.filter((word) => word === wildcard).length
        if (wildcards >= fewest) continue
        best = node
        fewest = wildcards
      }
    }
    return best
  }
  const remember = (form: string, templateId: string) => {
    if (byForm.size >= max * 2) {
      const [oldest] = byForm.keys()
      if (oldest !== undefined) byForm.delete(oldest)
    }
    byForm.set(form, templateId)
  }

  /** Puts all that a general template covers into it. */
  const absorb = (general: Node) => {
    const { words } = general.pieces
    const inSkeleton = bucketsOf(general.pieces)
    const first = firstOf(general.pieces)
    const inside = first === wildcard ? [...inSkeleton.values()] : [inSkeleton.get(first) ?? []]
    for (const node of inside.flatMap((bucket) => [...bucket])) {
      if (node === general || node.template.into !== null || !covers(words, node.pieces.words)) continue
      node.template.into = general.template.templateId
      note(node)
    }
  }
  const makeGeneral = (form: string) => {
    const templateId = templateIdOf(form)
    const known = byId.get(templateId)
    if (known?.template.isGeneral || known?.template.into) return
    const pieces = known?.pieces ?? piecesOf(form)
    const node = known ?? keep({ templateId, form, isGeneral: true, into: null }, pieces)
    node.template.isGeneral = true
    const cover = findCover(pieces)
    if (cover && cover !== node) node.template.into = cover.template.templateId
    note(node)
    absorb(node)
    if (node.template.into === null) generaliseFurther(node)
  }

  /** Whether some places of a form are variable by now; makes the more general template if so. */
  const judge = ({ pieces, fingerprint }: Node, places: readonly number[], constants: number): boolean => {
    const { words } = pieces
    if (constants - places.length < Math.max(1, minConstant * words.length)) return false
    const seen = evidence.note(fingerprint.places(places), places.map(fingerprint.word))
    const isKnownToVary = byFingerprint.has(fingerprint.with(places))
    if (seen < (isKnownToVary ? wordsBesideWildcard : wordsOfVariable)) return false
    makeGeneral(generalise(pieces, places))
    return true
  }
  /** A form with wildcards that came after a form that has a word in place of one of them. */
  const judgeWildcards = ({ template, pieces, fingerprint }: Node) => {
    const { words } = pieces
    if (words.length > maxWords) return
    const isMet = words.some((word, place) => word === wildcard && evidence.has(fingerprint.places([place])))
    if (isMet) makeGeneral(template.form)
  }
  const generaliseFurther = (node: Node) => {
    const { words } = node.pieces
    const places = [...words.keys()].filter((place) => words[place] !== wildcard)
    if (words.length > maxWords) return
    for (const place of places) {
      judge(node, [place], places.length)
      if (node.template.into !== null) return
    }
    if (places.length > maxForPairs || crowdOf(node.pieces) < fewInBucket) return
    for (const place of places) {
      for (const other of places) {
        if (other > place) judge(node, [place, other], places.length)
        if (node.template.into !== null) return
      }
    }
  }

  const find = (form: string): string | undefined => {
    const known = byForm.get(form)
    if (known === undefined) return undefined
    byForm.delete(form)
    byForm.set(form, known)
    const templateId = resolve(known)
    touch(templateId)
    return templateId
  }
  const mine = (form: string): string => {
    if (form === '') return ''
    const found = find(form)
    if (found !== undefined) return found
    const pieces = piecesOf(form)
    const templateId = templateIdOf(form)
    const known = byId.get(templateId)
    const cover = known ? undefined : findCover(pieces)
    const isCrowded = !known && !cover && crowdOf(pieces) >= maxInBucket
    const crowd = isCrowded ? generalise(pieces, [...pieces.words.keys()].slice(1)) : undefined
    if (crowd !== undefined) makeGeneral(crowd)
    const taken = known ?? cover ?? (crowd === undefined ? undefined : byId.get(templateIdOf(crowd)))
    if (taken) {
      remember(form, taken.template.templateId)
      return resolve(taken.template.templateId)
    }
    const node = keep({ templateId, form, isGeneral: false, into: null }, pieces)
    note(node)
    remember(form, templateId)
    judgeWildcards(node)
    if (!node.template.isGeneral) generaliseFurther(node)
    return resolve(templateId)
  }

  const learnOne = (template: KnownTemplate) => {
    const known = byId.get(template.templateId)
    if (!known) {
      const node = keep({ ...template }, piecesOf(template.form))
      if (template.isGeneral) absorb(node)
      else judgeWildcards(node)
      if (node.template.into === null) generaliseFurther(node)
      return
    }
    const wasGeneral = known.template.isGeneral
    known.template.isGeneral ||= template.isGeneral
    known.template.into ??= template.into
    if (!wasGeneral && known.template.isGeneral) absorb(known)
  }
  return {
    find,
    mine,
    resolve,
    members: (templateId) => {
      const target = resolve(templateId)
      return [...new Set([templateId, target, ...[...byId.keys()].filter((id) => resolve(id) === target)])]
    },
    formOf: (templateId) => byId.get(templateId)?.template.form,
    templateOf: (templateId) => {
      const template = byId.get(templateId)?.template
      return template && { ...template }
    },
    learn: (templates) => templates.forEach(learnOne),
    changes: () => {
      const taken = [...changed.values()].map((template) => ({ ...template }))
      changed = new Map()
      return taken
    },
    get size() {
      return byId.size
    },
  }
}
