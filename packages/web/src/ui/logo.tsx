/** The letter d as a node on a line of commits. */
export function Logo({ className }: { readonly className?: string }) {
  return (
    <svg aria-hidden viewBox="0 0 32 32" className={className}>
      <rect width="32" height="32" rx="9" fill="var(--accent)" />
      <g fill="none" stroke="var(--on-accent)" strokeWidth="3.2">
        <circle cx="13.4" cy="18" r="5.6" />
        <path d="M20.6 6.6v18.6" strokeLinecap="round" />
      </g>
    </svg>
  );
}
