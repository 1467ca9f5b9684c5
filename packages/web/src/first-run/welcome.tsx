export function Welcome() {
  return (
    <h1 className="text-center text-3xl font-semibold tracking-tight text-balance">
      What should we work on?
    </h1>
  );
}
