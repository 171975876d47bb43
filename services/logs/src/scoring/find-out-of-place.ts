import type { StoredEntry } from '../entries/entry.ts'
import { nodeOf } from './node-of.ts'
import { createPlaces, type Places } from './places.ts'
import { createSessionWalk } from './session-walk.ts'
import type { PlaceAnomaly, Stretch } from './stretch.ts'
import { severityOfTemplate, type TemplateSeries } from './template-series.ts'
import { worthOfBurst } from './weigh-template.ts'

type Template = TemplateSeries['templates'][number]
/** A place that an entry is in, with the beginning of the finding's reason. */
type Placed = { place: string; unit: string | number; places: Places; subject: string; reason: string }

/** Entries of one finding. */
const maxEntries = 100
const lengthOfName = 120

const shortened = (text: string): string => (text.length > lengthOfName ? `${text.slice(0, lengthOfName)}…` : text)

/**
 * Finds templates that a source has, but never had in this place: from a node that never wrote it, or after a template that it never followed in
 * the same session, such as a block, a request or a process. Pairs of adjacent templates detect as much in log sequences as trained models do
 * (Landauer, Skopik and Wurzenberger, "A Critical Review of Common Log Data Sets Used for Evaluation of Sequence-Based
 * Anomaly Detection Techniques", 2024). Stretches are in time order; entries from `judgedSince` on are judged by all entries before them.
 */
export const findOutOfPlace = (
  stretches: readonly Stretch[],
  templates: readonly Template[],
  judgedSince: number,
): PlaceAnomaly[] => {
  const byId = new Map(templates.map((template) => [template.templateId, template]))
  const nodes = createPlaces()
  const steps = createPlaces()
  const walk = createSessionWalk()
  const found = new Map<string, PlaceAnomaly>()

  const placesOf = (entry: StoredEntry, kind: Template, stretch: number): Placed[] => {
    const node = nodeOf(entry)
    const { templateId, template } = kind
    const after = walk.next({ text: entry.text, templateId }).map((step): Placed => {
      const before = byId.get(step.after)?.template ?? ''
      return {
        places: steps,
        place: step.after,
        unit: step.session,
        subject: template,
        reason: `After "${shortened(before)}" in ${shortened(step.session)}, which this kind of message never came after`,
      }
    })
    if (node === null) return after
    const reason = `From ${shortened(node)}, from where this kind of message never came`
    return [{ places: nodes, place: node, unit: stretch, subject: `${node}: ${template}`, reason }, ...after]
  }
  const judge = (entry: StoredEntry, kind: Template, { places, place, subject, reason }: Placed) => {
    const key = `${places === nodes ? 'node' : 'after'} ${place} ${kind.templateId}`
    const known = found.get(key)
    if (known) {
      known.count++
      if (known.entries.length < maxEntries) known.entries.push(entry)
      return
    }
    const strangeness = places.strangenessOf({ kind: kind.templateId, place })
    if (strangeness === 0) return
    const { times, places: others } = places.known(kind.templateId)
    found.set(key, {
      label: 'out_of_place',
      subject,
      score: Math.min(0.99, strangeness * worthOfBurst(kind)),
      severity: severityOfTemplate(kind),
      reason: `${reason} in ${times} times, all of them in ${others} other ${others === 1 ? 'place' : 'places'}.`,
      entries: [entry],
      count: 1,
    })
  }
  for (const [stretch, { entries, followsPrevious }] of stretches.entries()) {
    if (!followsPrevious) walk.reset()
    for (const entry of entries) {
      const kind = byId.get(entry.templateId ?? '')
      if (!kind) continue
      const placed = placesOf(entry, kind, stretch)
      if (entry.effectiveTime >= judgedSince) for (const one of placed) judge(entry, kind, one)
      for (const { places, place, unit } of placed) places.add({ kind: kind.templateId, place, unit })
    }
  }
  return [...found.values()]
}
