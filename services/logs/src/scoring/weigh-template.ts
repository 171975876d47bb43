import type { Severity } from '../entries/severity-code.ts'
import { failureEvidence, probabilityOf } from './failure-evidence.ts'
import { severityOfTemplate, type TemplateSeries } from './template-series.ts'

type Template = TemplateSeries['templates'][number]

/** The minimum weight of an anomaly by level; the evidence of a failure in its wording adds the rest. */
const minWorth: Readonly<Record<Severity | 'none', number>> = { CRITICAL: 0.7, ERROR: 0.6, WARN: 0.5, none: 0.4 }
/** The minimum weight of a burst: a burst deserves attention whatever its wording, if it is certain. */
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

/** 0 to 1: how important it is that a template is new or rare. */
export const worthOf = (template: Template): number => worthFrom(minWorth, template)
/** 0 to 1: how important a burst of a template is. */
export const worthOfBurst = (template: Template): number => worthFrom(minWorthOfBurst, template)
