import { createEvidence } from './evidence.ts'
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
const leastConstant = 0.6
/** Forms that have the same gaps and first word; with more of them two places are looked at together. */
const fewInBucket = 8
/** Words of which two are looked at together: there are 66 pairs among twelve. */
const mostForPairs = 12
/** With so many, further ones are one template that has the first word alone. */
const mostInBucket = 256
/** A form with more words is itself alone. */
const mostWords = 64

type Node = { template: KnownTemplate; pieces: Pieces }

const bucketKey = ({ gaps, words }: Pieces, first: string): string => `${words.length} ${first}\0${gaps.join('\0')}`

/** `most` templates are kept in mind; of more, those not met for longest are forgotten, and found again by their form. */
export const createMiner = (most: number): Miner => {
  const byId = new Map<string, Node>()
  const byForm = new Map<string, string>()
  const buckets = new Map<string, Set<Node>>()
  const evidence = createEvidence(wordsOfVariable)
  let changed = new Map<string, KnownTemplate>()

  const bucketOf = (pieces: Pieces): Set<Node> => {
    const key = bucketKey(pieces, pieces.words[0] ?? '')
    const known = buckets.get(key) ?? new Set()
    buckets.set(key, known)
    return known
  }
  const note = (node: Node) => {
    changed.set(node.template.templateId, node.template)
  }
  const forget = ({ template, pieces }: Node) => {
    byId.delete(template.templateId)
    const key = bucketKey(pieces, pieces.words[0] ?? '')
    const bucket = buckets.get(key)
    for (const node of bucket ?? []) if (node.template === template) bucket?.delete(node)
    if (bucket?.size === 0) buckets.delete(key)
  }
  const keep = (template: KnownTemplate, pieces: Pieces): Node => {
    const [oldest] = byId.size >= most ? byId.values() : []
    if (oldest) forget(oldest)
    const node = { template, pieces }
    byId.set(template.templateId, node)
    bucketOf(pieces).add(node)
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
    const firsts = new Set([pieces.words[0] ?? '', wildcard])
    let best: Node | undefined
    let fewest = Number.POSITIVE_INFINITY
    for (const first of firsts) {
      for (const node of buckets.get(bucketKey(pieces, first)) ?? []) {
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
    if (byForm.size >= most * 2) {
      const [oldest] = byForm.keys()
      if (oldest !== undefined) byForm.delete(oldest)
    }
    byForm.set(form, templateId)
  }

  /** Puts all that a general template covers into it. */
  const absorb = (general: Node) => {
    const { words } = general.pieces
    const isAnyFirst = words[0] === wildcard
    const inside = isAnyFirst ? [...buckets.entries()].filter(([key]) => isSameGaps(key, general.pieces)) : []
    const nodes = isAnyFirst ? inside.flatMap(([, bucket]) => [...bucket]) : [...bucketOf(general.pieces)]
    for (const node of nodes) {
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
  const judge = ({ pieces }: Node, places: readonly number[], constants: number): boolean => {
    const { words } = pieces
    if (constants - places.length < Math.max(1, leastConstant * words.length)) return false
    const form = generalise(pieces, places)
    const seen = evidence.note(
      evidenceKey(places, form),
      places.map((place) => words[place] ?? ''),
    )
    const isKnownToVary = byId.has(templateIdOf(form))
    if (seen < (isKnownToVary ? wordsBesideWildcard : wordsOfVariable)) return false
    makeGeneral(form)
    return true
  }
  /** A form with wildcards that came after a form that has a word in place of one of them. */
  const judgeWildcards = ({ template, pieces }: Node) => {
    const { words } = pieces
    if (words.length > mostWords) return
    const isMet = words.some((word, place) => word === wildcard && evidence.has(evidenceKey([place], template.form)))
    if (isMet) makeGeneral(template.form)
  }
  const generaliseFurther = (node: Node) => {
    const { words } = node.pieces
    const places = [...words.keys()].filter((place) => words[place] !== wildcard)
    if (words.length > mostWords) return
    for (const place of places) {
      judge(node, [place], places.length)
      if (node.template.into !== null) return
    }
    if (places.length > mostForPairs || bucketOf(node.pieces).size < fewInBucket) return
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
    const isCrowded = !known && !cover && bucketOf(pieces).size >= mostInBucket
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

const evidenceKey = (places: readonly number[], form: string): string => `${places.join()} ${form}`

const isSameGaps = (key: string, { gaps, words }: Pieces): boolean =>
  key.startsWith(`${words.length} `) && key.endsWith(`\0${gaps.join('\0')}`)
