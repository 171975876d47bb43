import type { Severity } from '../entries/severity-code.ts'
import { failureEvidence, probabilityOf } from './failure-evidence.ts'
import { severityOfTemplate, type TemplateSeries } from './template-series.ts'

type Template = TemplateSeries['templates'][number]

/** That something of a level stands out is worth so much by itself; what its wording tells of a failure makes up the rest. */
const minWorth: Readonly<Record<Severity | 'none', number>> = { CRITICAL: 0.7, ERROR: 0.6, WARN: 0.5, none: 0.4 }
/** What comes suddenly and in masses is worth a look whatever it is, where it is sure. */
const minWorthOfBurst: Readonly<Record<Severity | 'none', number>> = {
  CRITICAL: 0.7,
  ERROR: 0.65,
  WARN: 0.58,
  none: 0.53,
}

const evidenceOf = (template: Template) => failureEvidence(template.template, severityOfTemplate(template))

const worthFrom = (min: typeof minWorth, template: Template): number => {
  const base = min[severityOfTemplate(template) ?? 'none']
  return base + (1 - base) * probabilityOf(evidenceOf(template).logOdds)
}

/** 0 to 1: how much it matters that a kind of message is there that was not, or is rare. */
export const worthOf = (template: Template): number => worthFrom(minWorth, template)
/** 0 to 1: how much it matters that a kind of message comes in masses. */
export const worthOfBurst = (template: Template): number => worthFrom(minWorthOfBurst, template)
