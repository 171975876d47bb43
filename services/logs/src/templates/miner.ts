import { createEvidence } from './evidence.ts'
import { type Fingerprint, fingerprintOf } from './fingerprint.ts'
import { covers, generalise, type Pieces, piecesOf } from './form-pieces.ts'
import { wildcard } from './masking.ts'
import { templateIdOf } from './template-id.ts'

/** A template: its form, which also represents the templates merged into it. */
export type KnownTemplate = {
  templateId: string
  form: string
  /** Whether it was generalised from others; it then represents every form that it covers. */
  isGeneral: boolean
  /** The id of the more general template that replaced it, if any. */
  into: string | null
}

/**
 * Finds templates among forms, one form at a time, similar to Drain (He et al., ICWS 2017), with positions judged as in Brain (Yu et al., TSC 2023): a
 * position in which enough distinct words were seen, with everything else equal, is variable. Earlier templates are then merged into the more general
 * one, so an issued id always resolves to its template. Since an id is a hash of its form, miners that see the same kinds of lines arrive at the same
 * templates in any order.
 */
export type Miner = {
  /** The current template of a form; undefined if the form is unknown. Does not create one. */
  find: (form: string) => string | undefined
  /** The template of a form, which is created if no template covers it. Empty for an empty form. */
  mine: (form: string) => string
  /** The template that an id currently resolves to; the id itself if it is unknown. */
  resolve: (templateId: string) => string
  /** All ids that resolve to the same template, including its own. */
  members: (templateId: string) => string[]
  formOf: (templateId: string) => string | undefined
  /** The full record of a template. */
  templateOf: (templateId: string) => KnownTemplate | undefined
  /** Adopts templates of another miner. */
  learn: (templates: readonly KnownTemplate[]) => void
  /** Templates that changed since the last call, except those merely adopted by `learn`. */
  changes: () => KnownTemplate[]
  readonly size: number
}

/** This many distinct words make a position variable. */
const wordsOfVariable = 4
/** A position that is known to be variable, from a form with a wildcard there, needs only one word, whichever comes first. */
const wordsBesideWildcard = 1
/** Minimum share of a template's words that must remain constant. */
const minConstant = 0.6
/** With more forms with the same gaps and first word than this, pairs of positions are examined, too. */
const fewInBucket = 8
/** Pairs are only examined for up to this many words: twelve words have 66 pairs. */
const maxForPairs = 12
/** With this many forms, further ones become one template that retains only the first word. */
const maxInBucket = 256
/** Forms with more words are not generalised. */
const maxWords = 64

type Node = { template: KnownTemplate; pieces: Pieces; fingerprint: Fingerprint }

/** Forms can only share a template if they have the same skeleton: the number of words, and the gaps. */
const skeletonOf = ({ gaps }: Pieces): string => gaps.join('\0')
const firstOf = ({ words }: Pieces): string => words[0] ?? ''

/** At most `max` templates are cached; beyond that, the least recently used are evicted, and found again by their form. */
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
  const evict = (node: Node) => {
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
  const store = (template: KnownTemplate, pieces: Pieces): Node => {
    const [oldest] = byId.size >= max ? byId.values() : []
    if (oldest) evict(oldest)
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
    // A template is only ever merged into a more general one, so this terminates.
    for (let node = byId.get(id); node?.template.into; node = byId.get(id)) id = node.template.into
    return id
  }
  /** The most specific of the general templates that cover a form. */
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

  /** Merges all templates that a general one covers into it. */
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
    const node = known ?? store({ templateId, form, isGeneral: true, into: null }, pieces)
    node.template.isGeneral = true
    const cover = findCover(pieces)
    if (cover && cover !== node) node.template.into = cover.template.templateId
    note(node)
    absorb(node)
    if (node.template.into === null) generaliseFurther(node)
  }

  /** Whether the positions of a form have become variable; if so, creates the more general template. */
  const judge = ({ pieces, fingerprint }: Node, positions: readonly number[], constants: number): boolean => {
    const { words } = pieces
    if (constants - positions.length < Math.max(1, minConstant * words.length)) return false
    const seen = evidence.note(fingerprint.positions(positions), positions.map(fingerprint.word))
    const isKnownToVary = byFingerprint.has(fingerprint.with(positions))
    if (seen < (isKnownToVary ? wordsBesideWildcard : wordsOfVariable)) return false
    makeGeneral(generalise(pieces, positions))
    return true
  }
  /** Generalises a form with wildcards if a form with a word in place of one of them was seen earlier. */
  const judgeWildcards = ({ template, pieces, fingerprint }: Node) => {
    const { words } = pieces
    if (words.length > maxWords) return
    const isMet = words.some((word, position) => word === wildcard && evidence.has(fingerprint.positions([position])))
    if (isMet) makeGeneral(template.form)
  }
  const generaliseFurther = (node: Node) => {
    const { words } = node.pieces
    const positions = [...words.keys()].filter((position) => words[position] !== wildcard)
    if (words.length > maxWords) return
    for (const position of positions) {
      judge(node, [position], positions.length)
      if (node.template.into !== null) return
    }
    if (positions.length > maxForPairs || crowdOf(node.pieces) < fewInBucket) return
    for (const position of positions) {
      for (const other of positions) {
        if (other > position) judge(node, [position, other], positions.length)
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
    const node = store({ templateId, form, isGeneral: false, into: null }, pieces)
    note(node)
    remember(form, templateId)
    judgeWildcards(node)
    if (!node.template.isGeneral) generaliseFurther(node)
    return resolve(templateId)
  }

  const learnOne = (template: KnownTemplate) => {
    const known = byId.get(template.templateId)
    if (!known) {
      const node = store({ ...template }, piecesOf(template.form))
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
