import type { Scheduler } from './manifest.ts'

/** One step from much noise to less. A noisy stretch is `signal · clean + noise · random`. */
export type NoiseLevel = {
  /** What the network receives as its time. */
  readonly time: number
  readonly signal: number
  readonly noise: number
}

/** The clean value and the random one, as the network's estimate and the noisy value determine them. */
export type Denoised = { readonly clean: number; readonly random: number }

export type NoiseSchedule = {
  /** From pure noise on; one more than there are steps, the last without noise. */
  readonly levels: readonly NoiseLevel[]
  readonly denoise: (value: number, estimate: number, level: NoiseLevel) => Denoised
}

const betasOf = (
  { beta_schedule, beta_start, beta_end }: Extract<Scheduler, { type: 'ddim' }>,
  share: number,
): number =>
  beta_schedule === 'scaled_linear'
    ? (Math.sqrt(beta_start) + share * (Math.sqrt(beta_end) - Math.sqrt(beta_start))) ** 2
    : beta_start + share * (beta_end - beta_start)

/** Share of the signal's power that is left after each step of training. */
const signalPowers = (scheduler: Extract<Scheduler, { type: 'ddim' }>): Float64Array => {
  const { train_steps: steps } = scheduler
  const powers = new Float64Array(steps)
  if (scheduler.beta_schedule === 'cosine') {
    // Nichol and Dhariwal, 2021.
    const at = (share: number) => Math.cos((((share + 0.008) / 1.008) * Math.PI) / 2) ** 2
    for (let step = 0; step < steps; step++) powers[step] = Math.max(1e-5, at((step + 1) / steps) / at(0))
    return powers
  }
  let power = 1
  for (let step = 0; step < steps; step++) {
    power *= 1 - betasOf(scheduler, step / (steps - 1))
    powers[step] = power
  }
  return powers
}

const clean: NoiseLevel = { time: 0, signal: 1, noise: 0 }

/** Levels along a straight line from noise to the clean stretch (Liu et al., "Flow Straight and Fast", 2022). */
const rectifiedFlow = ({ steps, shift }: Extract<Scheduler, { type: 'rectified_flow' }>): NoiseSchedule => ({
  levels: Array.from({ length: steps + 1 }, (_, step) => {
    const left = 1 - step / steps
    const time = (shift * left) / (1 + (shift - 1) * left)
    return { time, signal: 1 - time, noise: time }
  }),
  // The estimate is the velocity, random minus clean.
  denoise: (value, estimate, { signal, noise }) => ({
    clean: value - noise * estimate,
    random: value + signal * estimate,
  }),
})

/** Song et al., "Denoising Diffusion Implicit Models", 2020, without added noise. */
const ddim = (scheduler: Extract<Scheduler, { type: 'ddim' }>): NoiseSchedule => {
  const powers = signalPowers(scheduler)
  const levels = Array.from({ length: scheduler.steps }, (_, step): NoiseLevel => {
    const time = Math.round((scheduler.train_steps - 1) * (1 - step / scheduler.steps))
    const power = powers[time] ?? 1
    return { time, signal: Math.sqrt(power), noise: Math.sqrt(1 - power) }
  })
  const denoise: Record<typeof scheduler.predicts, NoiseSchedule['denoise']> = {
    noise: (value, estimate, { signal, noise }) => ({ clean: (value - noise * estimate) / signal, random: estimate }),
    sample: (value, estimate, { signal, noise }) => ({ clean: estimate, random: (value - signal * estimate) / noise }),
    velocity: (value, estimate, { signal, noise }) => ({
      clean: signal * value - noise * estimate,
      random: noise * value + signal * estimate,
    }),
  }
  return { levels: [...levels, clean], denoise: denoise[scheduler.predicts] }
}

export const noiseSchedule = (scheduler: Scheduler): NoiseSchedule =>
  scheduler.type === 'ddim' ? ddim(scheduler) : rectifiedFlow(scheduler)
