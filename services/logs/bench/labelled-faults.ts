import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** Lines of a log with the `kind` of fault that each reports; null for none. */
export type LabelledLog = {
  name: string
  /** The author of the labels, and whether the weights were tuned without them. */
  labels: 'its authors' | 'ours'
  isHeldOut: boolean
  lines: { text: string; kind: string | null }[]
}

/**
 * Lines that an operator should look at in samples without labels: those that report a fault of a machine, a connection or a part of the service,
 * judged by reading every template of the set. Failed sign-ins and mistakes of users are not faults.
 */
const faults: readonly { name: string; isHeldOut: boolean; kinds: Readonly<Record<string, RegExp>> }[] = [
  {
    name: 'Hadoop',
    isHeldOut: false,
    kinds: {
      'lease not renewed': /Failed to renew lease/,
      'manager not reached': /ERROR IN CONTACTING RM/,
      'no route': /No Route to Host/,
      'task failed': /FAIL_(?:CONTAINER|TASK)_CLEANUP|Task cleanup failed|failures on node|list of failed maps/,
      'data stream broke':
        /DataStreamer Exception|ResponseProcessor exception|Error Recovery for block|Slow ReadProcessor/,
      'part stopped': /threw an Exception|Error writing History Event|unknown container id/,
    },
  },
  {
    name: 'Zookeeper',
    isHeldOut: false,
    kinds: {
      'neighbour lost': /Connection broken for id/,
      'neighbour not reached': /Cannot open channel/,
      'part stopped': /Unexpected exception|Unexpected Exception|Exception causing close of session/,
    },
  },
  {
    name: 'Linux',
    isHeldOut: false,
    kinds: {
      'kernel part not started': /register_security failed|Failure registering capabilities|Invalid ACPI-PCI/,
      'connection lost': /Connection reset by peer|Transport endpoint is not connected/,
      'sender gave up': /caused connection abort/,
      'program ended badly': /exited abnormally|ALERT/,
    },
  },
  { name: 'HDFS', isHeldOut: true, kinds: { 'block not served': /Got exception while serving/ } },
  {
    name: 'Apache',
    isHeldOut: true,
    kinds: {
      'worker in error state': /in error state/,
      'worker lost': /Can't find child/,
      'worker not started': /child init \d+ -\d+/,
    },
  },
]

const linesOf = (folder: string, name: string): string[] =>
  gunzipSync(readFileSync(join(folder, name, `${name}_2k.log.gz`)))
    .toString('latin1')
    .split(/\r?\n/)
    .filter((line) => line !== '')

/** The first column of BGL is the kind of an alert, or a minus; only the measurement reads it. */
const bgl = (folder: string): LabelledLog => ({
  name: 'BGL',
  labels: 'its authors',
  isHeldOut: true,
  lines: linesOf(folder, 'BGL').map((line) => {
    const kind = line.slice(0, line.indexOf(' '))
    return { text: line.slice(kind.length + 1), kind: kind === '-' ? null : kind }
  }),
})

/** The labelled samples of Loghub in a folder. */
export const labelledLogs = (folder: string): LabelledLog[] => [
  bgl(folder),
  ...faults.map(({ name, isHeldOut, kinds }): LabelledLog => {
    const known = Object.entries(kinds)
    return {
      name,
      labels: 'ours',
      isHeldOut,
      lines: linesOf(folder, name).map((text) => ({
        text,
        kind: known.find(([, wording]) => wording.test(text))?.[0] ?? null,
      })),
    }
  }),
]
