import type { Branch, BranchStatus } from '../crds/mod.ts'
import { conditionOf, mergeConditions, type Progress, progressConditions, stableMessage } from '../runtime/mod.ts'
import type { PodCondition } from './pod-condition.ts'
import { slugOf } from './slug.ts'

/** Reasons in the conditions of a Branch. */
export const branchReasons = [
  'Active',
  'Inactive',
  'Starting',
  'Updating',
  'Stopping',
  'Unschedulable',
  'ImagePull',
  'CannotStart',
  'CrashLooping',
  'VolumeGrowing',
  'VolumeNotGrown',
  'SlugTaken',
  'PortTaken',
  'NameTaken',
  'Refused',
] as const
export type BranchReason = (typeof branchReasons)[number]

/** Whether the volume has the requested size. */
export type VolumeGrowth = { kind: 'fits' } | { kind: 'growing' } | { kind: 'refused'; message: string }

/** The observed state of a branch. */
export type Finding =
  | { kind: 'slugTaken'; by: string; isGoing: boolean }
  | { kind: 'portTaken'; port: number; by: string }
  | { kind: 'noPort' }
  /** An object of the name belongs to another owner; usually it is about to be removed with a former Branch. */
  | { kind: 'nameTaken'; what: string }
  /** The API server rejects an applied object. */
  | { kind: 'refused'; message: string }
  | { kind: 'running'; port: number; pod: PodCondition; isUpdated: boolean; growth: VolumeGrowth }

export type Verdict = { progress: Progress; reason: BranchReason; message: string }

const verdict = (progress: Progress, reason: BranchReason, message: string): Verdict => ({ progress, reason, message })

const ofPod = (pod: PodCondition): Verdict | undefined => {
  switch (pod.kind) {
    case 'none':
      return verdict('working', 'Starting', 'Its pod is being created.')
    case 'ending':
      return verdict('working', 'Updating', 'Its pod is being replaced.')
    case 'starting':
      return verdict('working', 'Starting', pod.message)
    case 'unschedulable':
      return verdict('working', 'Unschedulable', pod.message)
    case 'cannotPull':
      return verdict('working', 'ImagePull', pod.message)
    case 'cannotStart':
      return verdict('stalled', 'CannotStart', pod.message)
    case 'crashing':
      return verdict('stalled', 'CrashLooping', pod.message)
    case 'ready':
      return undefined
  }
}

/**
 * A process that crashes runs for a moment after each restart. Until its pod is ready, the Branch remains in `CrashLooping`:
 * otherwise its status would alternate, and each restart would record an event.
 */
const ofRestart = ({ status }: Branch, pod: PodCondition): Verdict | undefined => {
  if (pod.kind !== 'starting' || pod.lastExit === undefined) return undefined
  const wasCrashing = conditionOf(status.conditions, 'Stalled')?.reason === 'CrashLooping'
  return wasCrashing ? verdict('stalled', 'CrashLooping', pod.lastExit) : undefined
}

const ofGrowth = (growth: VolumeGrowth, storage: string): Verdict | undefined => {
  if (growth.kind === 'fits') return undefined
  return growth.kind === 'growing'
    ? verdict('working', 'VolumeGrowing', `Its volume is growing to ${storage}.`)
    : verdict('stalled', 'VolumeNotGrown', `Its volume cannot grow to ${storage}: ${growth.message}`)
}

const ofRunning = (branch: Branch, { port, pod, isUpdated, growth }: Finding & { kind: 'running' }): Verdict => {
  if (branch.spec.state === 'Inactive')
    return pod.kind === 'none'
      ? verdict('ready', 'Inactive', 'It takes no log lines; stored entries are retained.')
      : verdict('working', 'Stopping', 'Its pod is being ended.')
  const trouble = ofRestart(branch, pod) ?? ofPod(pod) ?? ofGrowth(growth, String(branch.spec.storage))
  if (trouble) return trouble
  return isUpdated
    ? verdict('ready', 'Active', `It takes log lines on port ${port} of its Service.`)
    : verdict('working', 'Updating', 'Its pod is of an earlier version and is being replaced.')
}

/** Derives progress, reason and message from the observed state. */
export const judge = (branch: Branch, finding: Finding): Verdict => {
  switch (finding.kind) {
    case 'slugTaken':
      return finding.isGoing
        ? verdict('working', 'SlugTaken', `It waits until Branch ${finding.by} of the same slug is removed.`)
        : verdict(
            'stalled',
            'SlugTaken',
            `The slug ${slugOf(branch)} belongs to the older Branch ${finding.by}: remove one of the two.`,
          )
    case 'portTaken':
      return verdict(
        'stalled',
        'PortTaken',
        `Port ${finding.port} belongs to Branch ${finding.by}: request another port, or none.`,
      )
    case 'noPort':
      return verdict('stalled', 'PortTaken', 'No port is free: every one belongs to another Branch.')
    case 'nameTaken':
      return verdict('working', 'NameTaken', `It waits until ${finding.what}, which is not its own, is removed.`)
    case 'refused':
      return verdict('stalled', 'Refused', finding.message)
    case 'running':
      return ofRunning(branch, finding)
  }
}

const phaseOf = ({ spec }: Branch, finding: Finding, { progress }: Verdict): NonNullable<BranchStatus['phase']> => {
  // A Branch that accepts log lines is active, whatever other problems it has.
  if (finding.kind === 'running' && finding.pod.kind === 'ready' && spec.state === 'Active') return 'Active'
  if (progress === 'ready') return 'Inactive'
  return progress === 'stalled' ? 'Failed' : 'Pending'
}

/** Status fields besides the progress. `entryCount` and `lastSeen` come from the branch itself. */
export type AssignedFields = Pick<BranchStatus, 'port' | 'submitEndpoint' | 'secretName'>

/** Builds the status from the observed state; `conditions` is the same array as before if none of them changed. */
export const branchStatus = (
  branch: Branch,
  { finding, assigned, now }: { finding: Finding; assigned: AssignedFields; now: number },
): Partial<BranchStatus> => {
  const observedGeneration = branch.metadata.generation ?? 1
  const found = judge(branch, finding)
  const { reason } = found
  const message = stableMessage(branch.status.conditions, { ...found, observedGeneration })
  const states = progressConditions(found.progress, { reason, message, observedGeneration })
  const conditions = mergeConditions(branch.status.conditions ?? [], states, now)
  return { observedGeneration, conditions, phase: phaseOf(branch, finding, found), ...assigned }
}
