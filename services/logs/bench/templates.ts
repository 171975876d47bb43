import { sharedData } from '@trellis/test/support/shared-data'
import { labelledSets } from './loghub.ts'
import { measureTemplates } from './measure-templates.ts'

const targets = { accuracy: 0.9, linesPerSecond: 300_000 }

/** Accuracy and speed of template mining on the shared Loghub samples, against their targets. */
export const describeTemplates = async (): Promise<string[]> => {
  const folder = sharedData('logs', 'loghub')
  if (folder === undefined) return ['templates: not measured, the shared samples are missing']
  const figures = await measureTemplates(labelledSets(folder))
  const mean = (of: (figure: (typeof figures)[number]) => number) =>
    figures.reduce((sum, figure) => sum + of(figure), 0) / figures.length
  const slowest = Math.min(...figures.map(({ linesPerSecond }) => linesPerSecond))
  return [
    `templates, grouping accuracy: ${mean(({ accuracy }) => accuracy).toFixed(3)} of published content, ${mean((figure) => figure.accuracyOwn).toFixed(3)} with our own headers (bar: ${targets.accuracy})`,
    `templates, one thread: ${slowest} lines/s in the slowest set (bar: ${targets.linesPerSecond})`,
    ...figures.map(
      (figure) =>
        `  ${figure.name.padEnd(12)} accuracy ${figure.accuracy.toFixed(3)}, own headers ${figure.accuracyOwn.toFixed(3)}; ${figure.templates} templates of ${figure.kinds} kinds; ${figure.linesPerSecond} lines/s, ${figure.linesPerSecondAtFirst} at first`,
    ),
  ]
}
