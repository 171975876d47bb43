import { sharedData } from '../../../test/support/shared-data.ts'
import { labelledSets } from './loghub.ts'
import { measureTemplates } from './measure-templates.ts'

/** `node services/logs/bench/templates.ts`: how well and how fast templates are found. */
const targets = { accuracy: 0.9, linesPerSecond: 300_000 }

export const printTemplates = async (print: (line: string) => void): Promise<void> => {
  const folder = sharedData('logs', 'loghub')
  if (folder === undefined) {
    print('templates                        not measured: the shared samples are not beside the checkout')
    return
  }
  const figures = await measureTemplates(labelledSets(folder))
  const mean = (of: (figure: (typeof figures)[number]) => number) =>
    figures.reduce((sum, figure) => sum + of(figure), 0) / figures.length
  const accuracy = mean((figure) => figure.accuracy)
  const slowest = Math.min(...figures.map(({ linesPerSecond }) => linesPerSecond))
  print(
    `templates, grouping accuracy     ${accuracy.toFixed(3)} of published content, ${mean((figure) => figure.accuracyOwn).toFixed(3)} with our own headers (${(accuracy / targets.accuracy).toFixed(2)} of the target ${targets.accuracy})`,
  )
  print(
    `templates, one thread            ${slowest} lines/s in the slowest set (${(slowest / targets.linesPerSecond).toFixed(2)} of the target ${targets.linesPerSecond})`,
  )
  for (const figure of figures) {
    print(
      `  ${figure.name.padEnd(12)} accuracy ${figure.accuracy.toFixed(3)}, own headers ${figure.accuracyOwn.toFixed(3)}; ${figure.templates} templates of ${figure.kinds} kinds; ${figure.linesPerSecond} lines/s, ${figure.linesPerSecondAtFirst} at first`,
    )
  }
}

if (import.meta.main) await printTemplates((line) => process.stdout.write(`${line}\n`))
