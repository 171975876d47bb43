import { stringify } from 'yaml'
import { customResourceDefinition, type Kind } from './kind.ts'
import { branch } from './kinds/branch.ts'
import { generationJob } from './kinds/generation-job.ts'
import { search } from './kinds/search.ts'
import { warmPool } from './kinds/warm-pool.ts'

/** Every kind of the group. */
export const kinds: readonly Kind[] = [search, branch, generationJob, warmPool]

const event = '# Generated from operator/src/crds by "npm run generate"; change it there.\n'

/** Renders the definitions as files: `{ "searches.yaml": "..." }`. Deterministic. */
export const renderDefinitions = (): Record<string, string> =>
  Object.fromEntries(
    kinds.map((kind) => [
      `${kind.plural}.yaml`,
      // No YAML aliases, which not every parser supports: shared parts are repeated.
      event + stringify(customResourceDefinition(kind), { lineWidth: 120, aliasDuplicateObjects: false }),
    ]),
  )
