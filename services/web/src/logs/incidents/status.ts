const tones: Record<string, 'bad' | 'warn' | 'good'> = { open: 'bad', acknowledged: 'warn', resolved: 'good' }

export const statusTone = (status: string) => tones[status] ?? 'plain'
