import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { listingsRequirements } from './listings/requirements.ts'
import { logsRequirements } from './logs/requirements.ts'
import { musicRequirements } from './music/requirements.ts'
import type { Held, Requirements } from './promised.ts'

/** The services with a page. */
export const covered: readonly Requirements[] = [listingsRequirements, logsRequirements, musicRequirements]

const root = new URL('../../../', import.meta.url)

/** The path of a service's page. */
export const pageFile = ({ service }: Requirements): string =>
  fileURLToPath(new URL(`docs/reference/${service}-coverage.md`, root))

/** The referenced tests whose titles do not occur literally in their files. */
export const missingTests = async ({ themes }: Requirements): Promise<Held[]> => {
  const texts = new Map<string, string>()
  const textOf = async (file: string): Promise<string> => {
    const known = texts.get(file) ?? (await readFile(new URL(file, root), 'utf8').catch(() => ''))
    texts.set(file, known)
    return known
  }
  const held = themes.flatMap(({ promises }) => promises.flatMap(({ tests }) => tests))
  const found = await Promise.all(held.map(async ([file, title]) => (await textOf(file)).includes(title)))
  return held.filter((_, index) => found[index] !== true)
}

/** Promises without tests. */
export const untestedPromises = ({ themes }: Requirements): string[] =>
  themes.flatMap(({ promises }) => promises.filter(({ tests }) => tests.length === 0).map(({ promise }) => promise))

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** Removes the quotes of a title that is a row of a table of cases. */
const shown = (title: string): string => cell(title.replace(/^\['|'\]?$/g, '').replaceAll("', '", ', '))

const testOf = ([file, title]: Held): string => `[${shown(title)}](../../${file})`

/** Renders the page of a service from the table of its promises. */
export const renderPage = ({ service, title: name, themes, notYet }: Requirements): string =>
  [
    `# Promises of the ${name} service and their tests`,
    '',
    `Generated from \`test/reference/coverage/${service}\` by \`npm run generate\`. A test checks that the page is current and that each test exists.`,
    ...themes.flatMap(({ title, promises }) => [
      '',
      `## ${title}`,
      '',
      '| Promise | Tests |',
      '|---|---|',
      ...promises.map(({ promise, tests }) => `| ${cell(promise)} | ${tests.map(testOf).join('<br>')} |`),
    ]),
    ...(notYet.length === 0 ? [] : ['', '## Not yet', '', '| Promise | Why |', '|---|---|']),
    ...notYet.map(([promise, why]) => `| ${cell(promise)} | ${cell(why)} |`),
    '',
  ].join('\n')
