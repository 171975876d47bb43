import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findExecutable } from '@trellis/distributed/servers'
import { describe, expect, test } from 'vitest'
import { sample } from '../support/exploration.ts'
import { lookFor } from '../support/programs.ts'
import { attempt, type Ran } from '../support/run-program.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { cases } from './cases.ts'
import { helmMissing, template } from './helm.ts'
import { findSchemas, folderOf, locationIn } from './schemas.ts'

/** The supported Kubernetes versions in addition to that of the API server in other tests: one of them in a run. */
const versions = sample(['1.33.0', '1.34.0', '1.35.0'], 1, 'versions')

/** Third-party kinds without schemas in Kubernetes. */
const ofOthers = 'PodMonitor,ServiceMonitor,PrometheusRule,Certificate,HTTPRoute'

const { command: kubeconform, missing: programMissing } = lookFor((environment) =>
  findExecutable('kubeconform', { variable: 'KUBECONFORM_BIN', environment }),
)
const schemas = helmMissing || programMissing ? { missing: '' } : await findSchemas(versions)

describe.each(versions)('the chart on Kubernetes %s', (version) => {
  const folder = 'folder' in schemas ? folderOf(schemas.folder, version) : ''
  const missing =
    helmMissing ??
    programMissing ??
    ('missing' in schemas ? schemas.missing : existsSync(folder) ? undefined : `${folder} is not there`)

  const conform = async (manifests: string): Promise<Ran> => {
    await using directory = await temporaryDirectory()
    const file = join(directory.path, 'manifests.yaml')
    await writeFile(file, manifests)
    const of = ['-kubernetes-version', version, '-schema-location', locationIn(folder)]
    return await attempt(kubeconform, ['-strict', '-summary', ...of, '-skip', ofOthers, file])
  }

  describe.skipIf(missing !== undefined)(`with its schemas${missing ? ` (skipped: ${missing})` : ''}`, () => {
    test.each(sample(Object.entries(cases), 2))('the manifests are valid: %s', async (_name, values) => {
      const { output } = await template(values, '--kube-version', version)
      expect(await conform(output)).toMatchObject({
        code: 0,
        output: expect.stringMatching(/Valid: [1-9]\d+, Invalid: 0, Errors: 0/),
      })
    })

    test('unknown properties and wrong types are found', async () => {
      const { output } = await template({}, '--kube-version', version)
      for (const [right, wrong, message] of [
        ['enableServiceLinks:', 'enableServiceLink:', "additional properties 'enableServiceLink' not allowed"],
        ['revisionHistoryLimit: 3', 'revisionHistoryLimit: three', 'got string'],
      ] as const) {
        expect(output).toContain(right)
        const { code, output: words } = await conform(output.replace(right, wrong))
        expect({ code, words }).toMatchObject({ code: 1, words: expect.stringContaining(message) })
      }
    })
  })
})
