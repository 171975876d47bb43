import { analyseSound } from '../analysis/analyse.ts'
import { analysisRate } from '../analysis/spectral-frames.ts'
import type { Block } from '../audio/pcm.ts'
import { AudioRefused } from '../audio/refusal.ts'
import { createBarDrums } from './bar-drums.ts'
import { continueLoudness } from './continue-loudness.ts'
import { tryFirstJoins } from './first-join.ts'
import { fitLength, stretchable } from './fit-length.ts'
import { analyseContext, type ContinuationRequest, type Generator } from './generator.ts'
import { chooseLayers, type Layer } from './layer-bars.ts'
import { leaveOut } from './leave-out.ts'
import { type Plan, planContinuation } from './plan.ts'
import { renderPlan } from './render.ts'
import { silence, whySilent } from './silence.ts'
import { limitToSource } from './source-peak.ts'
import { isSpeech } from './speech.ts'
import { silentSteps, startCosts } from './start-costs.ts'
import { readPrompt, withoutSection } from './steering.ts'
import { cutIntoSteps } from './steps.ts'

/** How much earlier than its length an outro may end, with a phrase (s), at most as a share of its length. */
const outroEarly = { seconds: 5, share: 0.4 }
/** The longest fade of an outro without beats (s), and its largest share of the continuation. */
const outroSeconds = 6
const outroShare = 0.6

/** By which share a changing tempo is on average faster or slower than before, after the first seconds; at the end it is twice that. */
const tempoChange = 0.03

/**
 * By how much the instruments that remain are raised at most, where others are left out (dB): twice the amplitude. That is what
 * they gain where an arrangement becomes thin and a bus compressor releases; more would sound as if they came nearer.
 */
const liftDb = 6

/** Share of the time of rendering that the separation of what is left out takes. */
const separatingShare = 0.7

const spoken =
  'The audio is speech. Recombining rearranges beats and notes of music, so it would cut words: choose a piece of music.'

/** Fades a block out to its very end, along a raised cosine. */
const fadeOut = (block: Block, sampleRate: number): void => {
  for (const channel of block) {
    const length = Math.min(Math.round(outroSeconds * sampleRate), Math.round(channel.length * outroShare))
    const from = channel.length - length
    for (let i = 0; i < length; i++) {
      channel[from + i] = (channel[from + i] ?? 0) * (0.5 + 0.5 * Math.cos((Math.PI * (i + 1)) / length))
    }
  }
}

/**
 * Prepares what all continuations of a context share: its sound, its steps, and the cost of beginning at each of them. It does
 * not depend on the length of the continuation, or on its seed. Throws AudioRefused if the context is silent or speech.
 */
export const prepareMaterial = async ({ context, listen, onProgress, signal }: Omit<ContinuationRequest, 'seed'>) => {
  const { mono, sound, findPulse } = await (listen?.() ?? analyseContext(context, signal))
  if (sound.loudest < silence) throw new AudioRefused('silent', await whySilent(context, signal))
  if (await isSpeech(mono, sound.spectral)) throw new AudioRefused('speech', spoken)
  onProgress?.(0.3)
  const { attacks } = sound
  const analysis = analyseSound(sound, findPulse)
  onProgress?.(0.4)
  const grid = cutIntoSteps(analysis)
  const alike = startCosts(analysis.spectral, grid)
  // After a source that has faded out, the join is inaudible.
  const isSilent = silentSteps(analysis.spectral, grid) > 0
  const trials = isSilent ? undefined : await tryFirstJoins({ mono, attacks, spectral: analysis.spectral, grid }, alike)
  const startCost = alike.map((cost, step) => (cost + 2 * (trials?.[step] ?? cost)) / 3)
  return { mono, attacks, grid, startCost, drumsOf: createBarDrums(mono, grid) }
}

export type Material = Awaited<ReturnType<typeof prepareMaterial>>

/** Whether a plan plays any of some steps. */
const plays = ({ runs }: Plan, steps: ReadonlySet<number>): boolean =>
  runs.some(({ first, last }) => [...steps].some((step) => step >= first && step <= last))

/** Plans a continuation: runs of steps of the material. A section is followed if the plan plays any of it. */
export const planTake = ({ grid, startCost }: Material, request: ContinuationRequest) => {
  const { context, frames, prompt, seed, signal } = request
  const read = readPrompt(prompt)
  const section = read.steering.section && grid.stepsOfSection(read.steering.section)
  const { steering } = section ? read : withoutSection(read)
  // What becomes faster plays more in the same time.
  const played = Math.round(frames + steering.tempo * tempoChange * stretchable(frames, context.sampleRate))
  const seconds = played / context.sampleRate
  const plan = planContinuation({
    grid,
    audible: seconds * analysisRate,
    early: steering.outro ? Math.min(outroEarly.seconds, outroEarly.share * seconds) * analysisRate : 0,
    startCost,
    seed,
    steering,
    ...(signal && { signal }),
  })
  const { honored } = section && plays(plan, section) ? read : withoutSection(read)
  return { plan, played, steering, honored }
}

type Take = Omit<ReturnType<typeof planTake>, 'honored'>

/** Chooses the bars of a take that get the drums of other bars: none without a prompt for variation. */
export const layersOf = async (
  { grid, drumsOf }: Material,
  { plan, steering }: Take,
  { seed, signal }: ContinuationRequest,
): Promise<Layer[]> => {
  if (steering.variety <= 0 || steering.leaveOut.includes('drums')) return []
  return chooseLayers({ grid, runs: plan.runs, drumsOf, seed, ...(signal && { signal }) })
}

/** Renders a plan, with joins that match time, level and waveform, and as the prompt steers it. */
export const playTake = async (material: Material, take: Take, request: ContinuationRequest): Promise<Block> => {
  const { mono, attacks, grid } = material
  const { plan, played, steering } = take
  const { context, frames, onProgress, signal } = request
  const layers = await layersOf(material, take, request)
  const rendering = steering.leaveOut.length > 0 ? 1 - separatingShare : 1
  const rendered = await renderPlan({
    source: context,
    ...{ mono, attacks, grid, plan, layers, frames: played },
    onProgress: (share) => onProgress?.(0.6 + 0.4 * rendering * share),
    ...(signal && { signal }),
  })
  if (steering.outro && !plan.isWhole) fadeOut(rendered, context.sampleRate)
  const block = fitLength(rendered, frames, context.sampleRate, 'growing')
  if (steering.leaveOut.length === 0) return block
  const left = await leaveOut(block, {
    source: context,
    stems: steering.leaveOut,
    onProgress: (share) => onProgress?.(1 - 0.4 * separatingShare * (1 - share)),
    ...(signal && { signal }),
  })
  await continueLoudness(left, context, liftDb)
  await limitToSource(left, context)
  return left
}

/**
 * Continues a piece from its own material: cuts it into beats, plans a path through them that begins where the piece ends and
 * neither loops nor copies, and renders that path.
 */
export const recombine: Generator = async (request) => {
  const material = await prepareMaterial(request)
  const take = planTake(material, request)
  request.onProgress?.(0.6)
  return { block: await playTake(material, take, request), honored: take.honored }
}
