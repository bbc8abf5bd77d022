mod tolerance;
