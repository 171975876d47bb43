import { matchesGlob } from 'node:path'
import { distributed, onCluster } from './distributed-files.ts'
import { filesReaching, importsOf, testFiles } from './imports.ts'

const isProjectOption = /^--project(?:=(?<name>.*))?$/

/** Project names in the arguments of vitest, possibly with wildcards; empty means all projects. */
const projectsIn = (args: readonly string[]): string[] =>
  args.flatMap((arg, index) => {
    const option = isProjectOption.exec(arg)
    return option ? [option.groups?.name ?? args[index + 1] ?? ''] : []
  })

const isUnder = (file: string, globs: readonly string[]) => globs.some((glob) => matchesGlob(file, glob))

/**
 * Whether these arguments of vitest select tests that need nats-server: those of the distributed form and of the cluster, and those that
 * start a server themselves. Arguments that match no test file's path are assumed to be values of options.
 */
export const needsNatsServer = (args: readonly string[]): boolean => {
  const projects = projectsIn(args)
  const includes = (name: string) => projects.length === 0 || projects.some((project) => matchesGlob(name, project))
  const files = testFiles()
  const named = args
    .map((arg) => arg.replace(/^\.\//, ''))
    .filter((arg) => !arg.startsWith('-') && files.some((file) => file.includes(arg)))
  const chosen = named.length === 0 ? files : files.filter((file) => named.some((name) => file.includes(name)))
  if (includes('distributed') && chosen.some((file) => isUnder(file, distributed))) return true
  if (['cluster', 'cluster-alone'].some(includes) && chosen.some((file) => isUnder(file, onCluster))) return true
  const ofOneProcess = chosen.filter((file) => !isUnder(file, onCluster) && !file.startsWith('test/faults/'))
  return (
    includes('embedded') &&
    filesReaching(ofOneProcess, (module) =>
      importsOf(module).some(({ names }) => /\bnats(?:Command|Missing)\b/.test(names)),
    ).length > 0
  )
}
