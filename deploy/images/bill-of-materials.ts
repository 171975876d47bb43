import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { entries, root } from './entries.ts'

const run = promisify(execFile)

const maxOutputBytes = 64 * 1024 * 1024

/** Modules of workspaces whose packages are in the images besides those of the programs: the web app, and the runtime of models. */
const besides = ['services/web/src/main.ts', 'services/model-runtime/package.json']

/** The fields of a CycloneDX document that are read here. */
export type BillOfMaterials = {
  bomFormat: string
  serialNumber?: string
  metadata: { timestamp?: string; component: Component }
  components: Component[]
  /** References of packages, and of those that each depends on. */
  dependencies: { ref: string; dependsOn: string[] }[]
}
type Component = { 'bom-ref': string; name: string; version: string; purl: string; hashes?: { content: string }[] }

/** A workspace: its reference in the document, and the packages that it needs at run time. */
type Workspace = { ref: string; needs: ReadonlySet<string> }

type Package = {
  name?: string
  version?: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, unknown>
}
type Lock = { packages: Record<string, Package> }

const nameOf = (ref: string): string => ref.slice(0, ref.lastIndexOf('@'))

const readLock = async (): Promise<Lock> =>
  JSON.parse(await readFile(new URL('package-lock.json', root), 'utf8')) as Lock

/** The workspaces, by their folder. */
const workspacesOf = ({ packages }: Lock): ReadonlyMap<string, Workspace> =>
  new Map(
    Object.entries(packages).flatMap(([folder, { name, version, dependencies, optionalDependencies }]) =>
      folder === '' || folder.includes('node_modules/')
        ? []
        : [
            [
              folder,
              { ref: `${name}@${version}`, needs: new Set(Object.keys({ ...dependencies, ...optionalDependencies })) },
            ],
          ],
    ),
  )

/** Packages that others use if they are installed, by the reference of those: a bundle contains them, too. */
const optionalPeersOf = ({ packages }: Lock): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(
    Object.entries(packages).map(([path, { name, version, peerDependenciesMeta = {} }]) => [
      `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`,
      new Set(Object.keys(peerDependenciesMeta)),
    ]),
  )

/** All packages of the lock file. npm's own `--omit=dev` also omits packages that are needed both at run time and by tools. */
const wholeDocument = async (): Promise<BillOfMaterials> => {
  const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx']
  const { stdout } = await run('npm', args, { cwd: fileURLToPath(root), maxBuffer: maxOutputBytes })
  return JSON.parse(stdout) as BillOfMaterials
}

/** The references of everything that programs need at run time: of a workspace no tools, of other packages all dependencies. */
const reachable = (document: BillOfMaterials, lock: Lock, programs: readonly Workspace[]): ReadonlySet<string> => {
  const dependsOn = new Map(document.dependencies.map((one) => [one.ref, one.dependsOn]))
  const needsOf = new Map([...workspacesOf(lock).values()].map(({ ref, needs }) => [ref, needs]))
  const peersOf = optionalPeersOf(lock)
  const found = new Set(programs.map(({ ref }) => ref))
  for (const ref of found) {
    const needs = needsOf.get(ref)
    for (const next of dependsOn.get(ref) ?? []) if (!needs || needs.has(nameOf(next))) found.add(next)
    const peers = peersOf.get(ref)
    if (!needs && peers) for (const next of dependsOn.keys()) if (peers.has(nameOf(next))) found.add(next)
  }
  return found
}

/**
 * The packages that images may contain, as a CycloneDX document: those that the programs of the images and the web app need at run
 * time, with the digests and licences of the lock file. It has no time and no random number, so that builds are reproducible.
 */
export const billOfMaterials = async (): Promise<BillOfMaterials> => {
  const lock = await readLock()
  const workspaces = workspacesOf(lock)
  const paths = [...Object.values(entries), ...besides]
  const programs = [...workspaces].flatMap(([folder, workspace]) =>
    paths.some((path) => path.startsWith(`${folder}/`)) ? [workspace] : [],
  )
  const { serialNumber: _, ...document } = await wholeDocument()
  const { timestamp: __, ...metadata } = document.metadata
  const isNeeded = reachable({ ...document, metadata }, lock, programs)
  const own = new Set([...workspaces.values()].map(({ ref }) => ref))
  return {
    ...document,
    // npm names the program after the folder of the checkout.
    metadata: { ...metadata, component: { ...metadata.component, name: 'trellis' } },
    components: document.components.filter((one) => isNeeded.has(one['bom-ref']) && !own.has(one['bom-ref'])),
    dependencies: document.dependencies
      .filter(({ ref }) => isNeeded.has(ref) && !own.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => isNeeded.has(each)) })),
  }
}
