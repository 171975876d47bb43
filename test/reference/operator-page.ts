import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'

/** The parsed operator page, docs/operator.md. */
export type OperatorPage = {
  text: string
  /** The cells of the table rows under a heading, up to the next heading. Throws if there are none. */
  rowsUnder: (heading: string) => string[][]
  /** The text in backticks in the first cells under a heading. */
  namesUnder: (heading: string) => string[]
  /** The YAML blocks: Kubernetes objects and chart values. */
  // biome-ignore lint/suspicious/noExplicitAny: documents of any kind, read where a test knows which
  documents: Record<string, any>[]
}

const cellsOf = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

export const readOperatorPage = async (): Promise<OperatorPage> => {
  const text = await readFile(new URL('../../docs/operator.md', import.meta.url), 'utf8')
  const sections = new Map(
    text.split(/^#+ /m).map((section): [string, string] => {
      const [heading = '', ...lines] = section.split('\n')
      return [heading, lines.join('\n')]
    }),
  )
  const rowsUnder = (heading: string): string[][] => {
    const [, ...rows] = (sections.get(heading) ?? '')
      .split('\n')
      .filter((line) => line.startsWith('|') && !/^\|[-|]+\|$/.test(line))
    if (rows.length === 0) throw new Error(`docs/operator.md has no table under "${heading}".`)
    return rows.map(cellsOf)
  }
  return {
    text,
    rowsUnder,
    namesUnder: (heading) => rowsUnder(heading).flatMap(([first = '']) => /`([^`]+)`/.exec(first)?.[1] ?? []),
    documents: [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = '']) => parse(block)),
  }
}
